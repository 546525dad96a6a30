// The vocabulary of sessions: codecs, profiles, sizes, times, colors, errors. `import VTX` exports it.
@_exported public import VTXMedia

/// The common interface of ``CompressionSession`` and ``DecompressionSession`` (VideoToolbox: `VTSession`).
///
/// Each session works on a serial queue of its own. Its methods are thread-safe, and callers do not block each other.
public protocol VideoSession: AnyObject, Sendable {
    /// The codec of the stream.
    var codec: VideoCodec { get }

    /// The properties that the session supports, by name (C: `VTSessionCopySupportedPropertyDictionary`). They depend
    /// on the codec: HEVC has no `H264EntropyMode`.
    var supportedProperties: [String: PropertyDescription] { get }

    /// Sets a property, beginning with the next frame (C: `VTSessionSetProperty`).
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported`; `propertyReadOnly`; `badParameter` if the value is not
    ///   allowed (the message lists the allowed values); `invalidSession`.
    func set<Value>(_ property: SessionProperty<Self, Value>, to value: Value) throws(SessionError)

    /// Sets several properties by name, either all of them or none (C: `VTSessionSetProperties`).
    ///
    ///     try session.set(["AverageBitRate": 2_000_000, "RealTime": true])
    ///
    /// - Throws: ``SessionError``: the same as ``set(_:to:)``, and `badParameter` for a value of the wrong type.
    func set(_ values: [String: any Sendable]) throws(SessionError)

    /// Returns the value of a property (C: `VTSessionCopyProperty`).
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported`.
    func value<Value>(of property: SessionProperty<Self, Value>) throws(SessionError) -> Value

    /// Whether a GPU does the work. Known after ``prepare()`` or the first frame; false before.
    var isUsingHardware: Bool { get }

    /// Opens the codec now instead of with the first frame.
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    func prepare() async throws(SessionError)

    /// Waits until everything that was passed in has come out.
    func flush() async throws(SessionError)

    /// Reopens the codec before the next frame, for example after the system has taken the hardware away. An encoder
    /// loses no frames; a decoder continues at the next key frame.
    func refresh()

    /// Ends the session: frames that have not come out are discarded, and every later call throws `invalidSession` (C:
    /// `VTCompressionSessionInvalidate`, `VTDecompressionSessionInvalidate`). Releasing the last reference does the
    /// same.
    func invalidate()
}

extension VideoSession {
    /// Waits as ``VideoSession/flush()`` does, for code without `await`.
    ///
    /// - Parameter done: Called once, with nil or the error that ended the session.
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
