public import VTXMedia

// What tasks wait for with `await`, for plain threads: the thread waits.

extension DecompressionSession {
    /// `decode(_:context:)` for a plain thread, which waits while ``maxUnreadFrames`` have not been read.
    ///
    /// - Throws: the same, and `badParameter` in the session's own handler, which cannot wait for its session.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(_ sample: Sample, context: (any Sendable)? = nil) throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.decode(sample, context: context) }
    }

    /// `decode(annexB:at:duration:context:)` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(
        annexB: [UInt8], at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in
            try await self.decode(annexB: annexB, at: time, duration: duration, context: context)
        }
    }

    /// `decode(stream:)` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(stream chunk: [UInt8]) throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.decode(stream: chunk) }
    }

    /// `flush()` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func flushAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.flush() }
    }
}
