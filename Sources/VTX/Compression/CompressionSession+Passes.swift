public import VTXMedia
import VTXSystem

extension CompressionSession {
    /// Begins the first or the second of two passes over the same frames (C: `VTCompressionSessionBeginPass`). The
    /// first pass measures what each frame needs; the second distributes the bits accordingly:
    ///
    ///     repeat {
    ///         try await session.beginPass()
    ///         for (picture, time) in pictures { try await session.encode(picture, at: time) }
    ///     } while try await session.endPass()
    ///
    /// Frames of the first pass come out as `analyzed`, without a sample, so nothing has to be replaced later. Both
    /// passes run in software, in x264 or x265, and need an average bit rate. The statistics are in a temporary file
    /// that is deleted with the session.
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported` if hardware is required, and for AV1; `badParameter` with
    ///   constant quality, in real time, with data-rate limits, during a pass, after the second pass, or after frames
    ///   were encoded outside a pass; `allocationFailed` if there is no space for the file.
    public func beginPass() async throws(SessionError) { try await core.beginPass() }

    /// Ends a pass when all its frames have come out (C: `VTCompressionSessionEndPass`).
    ///
    /// - Returns: true after the first pass: encode the same frames again, in the same order, with the same options and
    ///   times.
    /// - Throws: ``SessionError``: `badParameter` if no pass has begun or the pass had no frames; otherwise the error
    ///   that ended the session.
    public func endPass() async throws(SessionError) -> Bool { try await core.endPass() }

    /// Begins a pass from a plain thread, which blocks meanwhile. See ``beginPass()``.
    @available(*, noasync, message: "in a task, use await")
    public func beginPassAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.beginPass() }
    }

    /// Ends a pass from a plain thread, which blocks meanwhile. See ``endPass()``.
    @available(*, noasync, message: "in a task, use await")
    public func endPassAndWait() throws(SessionError) -> Bool {
        let isAnotherWanted = Locked(false)
        try core.queue.waiting { () async throws(SessionError) in
            let answer = try await self.endPass()
            isAnotherWanted.withLock { $0 = answer }
        }
        return isAnotherWanted.withLock(\.self)
    }
}
