public import VTXMedia

// The blocking forms of the `async` functions, for plain threads.

extension CompressionSession {
    /// Encodes a frame from a plain thread, which blocks until the encoder has accepted the frame.
    ///
    /// - Throws: the errors of `encode`, and `badParameter` if called from the session's own output handler, which must
    ///   not wait for its session.
    @available(*, noasync, message: "in a task, use await")
    public func encodeAndWait(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in
            try await self.encode(picture, at: time, duration: duration, options: options, context: context)
        }
    }

    /// Blocks a plain thread until every frame has come out, as `flush()` does for a task.
    @available(*, noasync, message: "in a task, use await")
    public func flushAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.flush() }
    }

    /// Opens the encoder and blocks a plain thread meanwhile, as `prepare()` does for a task.
    @available(*, noasync, message: "in a task, use await")
    public func prepareAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.prepare() }
    }
}
