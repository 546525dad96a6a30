public import VTXMedia

/// What a ``CompressionSession`` and a ``DecompressionSession`` have in common: VideoToolbox's `VTSession`.
///
/// A session works on one serial queue of its own. Its functions may be called from any thread or task; callers neither
/// block each other nor race.
public protocol VideoSession: AnyObject, Sendable {
    /// The properties that this session has, by name (C: `VTSessionCopySupportedPropertyDictionary`). What a session
    /// has depends on its codec: HEVC knows no `H264EntropyMode`.
    var supportedProperties: [String: PropertyDescription] { get }

    /// Sets a property; it holds from the next frame on (C: `VTSessionSetProperty`).
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported`, `propertyReadOnly`, `badParameter` for a value that is not
    ///   allowed (the message says what is), `invalidSession`.
    func set<Value>(_ property: SessionProperty<Self, Value>, to value: Value) throws(SessionError)

    /// Reads a property (C: `VTSessionCopyProperty`).
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported`.
    func value<Value>(of property: SessionProperty<Self, Value>) throws(SessionError) -> Value

    /// Whether a GPU does the work. Known once the session is prepared, or has worked on its first frame; false before.
    var isUsingHardware: Bool { get }

    /// Opens the codec now, not with the first frame.
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    func prepare() async throws(SessionError)

    /// Returns when everything that was put in has come out.
    func flush() async throws(SessionError)

    /// The system may have taken the hardware away: the session is built again before the next frame. An
    /// encoder loses none; a decoder goes on with the next key frame.
    func refresh()

    /// Ends the session: frames that have not come out are discarded, and every later call throws `invalidSession`
    /// (C: `VTCompressionSessionInvalidate`, `VTDecompressionSessionInvalidate`). Letting go of the last reference does
    /// the same.
    func invalidate()
}

extension VideoSession {
    /// The same as ``VideoSession/flush()`` for code without `await`.
    ///
    /// - Parameter done: is called once, with nil or the reason why nothing more comes out.
    public func flush(whenDone done: @escaping @Sendable (SessionError?) -> Void) {
        Task {
            do throws(SessionError) {
                try await flush()
                done(nil)
            } catch {
                done(error)
            }
        }
    }
}

/// What can be known of a property without its key.
public struct PropertyDescription: Sendable, Hashable {
    /// The Swift type of its values.
    public var valueType: String
    public var isReadOnly: Bool
}

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
