import VTXMedia

/// The key of a property: whose it is, and what its values are.
///
/// VideoToolbox's keys are strings, and their values anything; a key here takes values of its own type only:
///
///     try session.set(.averageBitRate, to: 2_000_000)
public struct SessionProperty<Session: VideoSession, Value: Sendable>: Sendable {
    /// Apple's name without its prefix: `AverageBitRate` of `kVTCompressionPropertyKey_AverageBitRate`.
    public let name: String
    let read: @Sendable (Session) -> Value
    let write: (@Sendable (Session, Value) throws(SessionError) -> Void)?
    let isSupported: @Sendable (Session) -> Bool

    init(
        _ name: String, read: @escaping @Sendable (Session) -> Value,
        write: (@Sendable (Session, Value) throws(SessionError) -> Void)? = nil,
        where isSupported: @escaping @Sendable (Session) -> Bool = { _ in true }
    ) {
        self.name = name
        self.read = read
        self.write = write
        self.isSupported = isSupported
    }

    func set(_ value: Value, of session: Session) throws(SessionError) {
        try checkSupport(by: session)
        guard let write else { throw SessionError(.propertyReadOnly, "\(name) can be read only") }
        try write(session, value)
    }

    func value(of session: Session) throws(SessionError) -> Value {
        try checkSupport(by: session)
        return read(session)
    }

    private func checkSupport(by session: Session) throws(SessionError) {
        guard isSupported(session) else {
            let known = session.supportedProperties.keys.sorted().joined(separator: ", ")
            throw SessionError(.propertyNotSupported, "this session has no \(name), only \(known)")
        }
    }

    var entry: PropertyEntry<Session> {
        PropertyEntry(
            name: name, isSupported: isSupported,
            description: PropertyDescription(valueType: "\(Value.self)", isReadOnly: write == nil))
    }
}

/// A property whose values' type has been forgotten, for the list of all.
struct PropertyEntry<Session: VideoSession>: Sendable {
    var name: String
    var isSupported: @Sendable (Session) -> Bool
    var description: PropertyDescription
}

extension [String: PropertyDescription] {
    init<Session>(_ entries: [PropertyEntry<Session>], of session: Session) {
        self.init(
            entries.filter { $0.isSupported(session) }.map { ($0.name, $0.description) }, uniquingKeysWith: { $1 })
    }
}
