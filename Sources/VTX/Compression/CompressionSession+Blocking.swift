public import VTXMedia

// What tasks wait for with `await`, for plain threads: the thread waits.

extension CompressionSession {
    /// `encode` for a plain thread, which waits until the encoder has taken the frame.
    ///
    /// - Throws: the same, and `badParameter` in the session's own handler, which cannot wait for its session.
    @available(*, noasync, message: "in a task, use await")
    public func encodeAndWait(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in
            try await self.encode(picture, at: time, duration: duration, options: options, context: context)
        }
    }

    /// `flush()` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func flushAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.flush() }
    }

    /// `prepare()` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func prepareAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.prepare() }
    }
}
