import VTXMedia

/// The key of a session's property, with the types of the session and the value.
///
/// VideoToolbox's keys are strings and take a value of any type. The compiler checks the type of a value here:
///
///     try session.set(.averageBitRate, to: 2_000_000)
public struct SessionProperty<Session: VideoSession, Value: Sendable>: Sendable {
    /// Apple's name without the prefix: `AverageBitRate` for `kVTCompressionPropertyKey_AverageBitRate`.
    public let name: String
    let read: @Sendable (Session) -> Value
    /// nil for a read-only property.
    let write: (@Sendable (Session, Value) throws(SessionError) -> Void)?
    /// The field of a compression session's configuration that it sets; nil if it is not in the configuration.
    var edit: (@Sendable (inout VideoEncoderConfiguration, Value) -> Void)?
    /// The codecs whose sessions have the property.
    var codecs = Set(VideoCodec.allCases)
    var range: ClosedRange<Double>?
    /// As text.
    var defaultValue: String?

    init(
        _ name: String, read: @escaping @Sendable (Session) -> Value,
        write: (@Sendable (Session, Value) throws(SessionError) -> Void)? = nil
    ) {
        self.name = name
        self.read = read
        self.write = write
    }

    func set(_ value: Value, of session: Session) throws(SessionError) {
        guard codecs.contains(session.codec) else { throw session.notSupported(name) }
        guard let write else { throw SessionError.readOnly(name) }
        try write(session, value)
    }

    func value(of session: Session) throws(SessionError) -> Value {
        guard codecs.contains(session.codec) else { throw session.notSupported(name) }
        return read(session)
    }

    var description: PropertyDescription {
        PropertyDescription(
            valueType: "\(Value.self)", isReadOnly: write == nil, range: range, defaultValue: defaultValue)
    }
}

/// The description of a property (VideoToolbox: an entry of the supported property dictionary).
public struct PropertyDescription: Sendable, Hashable {
    /// The Swift type of the value.
    public var valueType: String
    public var isReadOnly: Bool
    /// The range of the value, in the property's unit; nil if the value is not a number or is read-only.
    public var range: ClosedRange<Double>?
    /// The value in a new configuration, as text; nil if the property is read-only.
    public var defaultValue: String?
}

/// A property with its value type erased, for the list of all properties.
struct PropertyEntry<Session: VideoSession>: Sendable {
    typealias Edit = @Sendable (inout VideoEncoderConfiguration) -> Void

    let name: String
    let codecs: Set<VideoCodec>
    let description: PropertyDescription
    let set: @Sendable (any Sendable, Session) throws(SessionError) -> Void
    /// nil for what is not in a compression session's configuration.
    let edit: @Sendable (any Sendable) throws(SessionError) -> Edit?

    init<Value>(_ property: SessionProperty<Session, Value>) {
        (name, codecs, description) = (property.name, property.codecs, property.description)
        set = { value, session throws(SessionError) in try property.set(try property.cast(value), of: session) }
        edit = { value throws(SessionError) in
            guard let edit = property.edit else { return nil }
            let value = try property.cast(value)
            return { edit(&$0, value) }
        }
    }
}

extension SessionProperty {
    fileprivate func cast(_ value: any Sendable) throws(SessionError) -> Value {
        guard let value = value as? Value ?? Self.number(value) else {
            throw SessionError(.badParameter, "\(name) cannot be \(value); allowed: values of \(Value.self)")
        }
        return value
    }

    /// Converts a number to the property's type, as an `NSNumber` does: 30 is a frame rate, and 2 a number of seconds.
    private static func number(_ value: any Sendable) -> Value? {
        guard let number = (value as? Int).map(Double.init) ?? value as? Double else { return nil }
        let forms: [(any Sendable)?] = [number, Int(exactly: number), Rational("\(number)"), Quality(number)]
        // A number that does not fit one form must not become nil for an optional property.
        return forms.lazy.compactMap(\.self).compactMap { $0 as? Value }.first
    }
}

extension [String: PropertyDescription] {
    init<Session>(_ entries: [PropertyEntry<Session>], for codec: VideoCodec) {
        self.init(
            entries.filter { $0.codecs.contains(codec) }.map { ($0.name, $0.description) }, uniquingKeysWith: { $1 })
    }
}

extension VideoSession {
    /// - Throws: `.propertyNotSupported`, `.propertyReadOnly`.
    func writable(
        _ name: String, among entries: [PropertyEntry<Self>]
    ) throws(SessionError) -> PropertyEntry<Self> {
        guard let entry = entries.first(where: { $0.name == name && $0.codecs.contains(codec) }) else {
            throw notSupported(name)
        }
        guard !entry.description.isReadOnly else { throw SessionError.readOnly(name) }
        return entry
    }

    fileprivate func notSupported(_ name: String) -> SessionError {
        let known = supportedProperties.keys.sorted().joined(separator: ", ")
        return SessionError(.propertyNotSupported, "this session has no \(name), only \(known)")
    }
}

extension SessionError {
    fileprivate static func readOnly(_ name: String) -> SessionError {
        SessionError(.propertyReadOnly, "\(name) can be read only")
    }
}
