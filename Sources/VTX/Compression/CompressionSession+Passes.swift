public import VTXMedia
import VTXSystem

extension CompressionSession {
    /// Begins the first of two passes over the same frames, or the second (C: `VTCompressionSessionBeginPass`). The first
    /// one finds out what each frame takes, and the second shares the bits out by it:
    ///
    ///     repeat {
    ///         try await session.beginPass()
    ///         for (picture, time) in pictures { try await session.encode(picture, at: time) }
    ///     } while try await session.endPass()
    ///
    /// Frames of the first pass come out as `analyzed`, without a sample, so that there is nothing to replace. Both passes
    /// are done in software, by x264 or x265, and need an average bit rate. What they find out is in a file of the
    /// session's own, in the directory for temporary files, for as long as the session is there.
    ///
    /// - Throws: ``SessionError``: `propertyNotSupported` where hardware is required, and for AV1; `badParameter` for a constant
    ///   quality, in real time, with data-rate limits, within a pass, after both, and after frames that were encoded
    ///   without one; `allocationFailed` where there is no room for the file.
    public func beginPass() async throws(SessionError) { try await core.beginPass() }

    /// Ends a pass when all its frames have come out (C: `VTCompressionSessionEndPass`).
    ///
    /// - Returns: true after the first pass: the same frames are wanted again, in the same order, with the same options
    ///   and at the same times.
    /// - Throws: ``SessionError``: `badParameter` where no pass has begun, or it had no frames; the reason for which the
    ///   session has ended.
    public func endPass() async throws(SessionError) -> Bool { try await core.endPass() }

    /// `beginPass()` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func beginPassAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.beginPass() }
    }

    /// `endPass()` for a plain thread.
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
