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

    /// Sets several properties by their names, all or none (C: `VTSessionSetProperties`).
    ///
    ///     try session.set(["AverageBitRate": 2_000_000, "RealTime": true])
    ///
    /// - Throws: ``SessionError``: the same as ``set(_:to:)``; `badParameter` also for a value of another type.
    func set(_ values: [String: any Sendable]) throws(SessionError)

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
    /// (C: `VTCompressionSessionInvalidate`, `VTDecompressionSessionInvalidate`). Releasing the last reference does
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
