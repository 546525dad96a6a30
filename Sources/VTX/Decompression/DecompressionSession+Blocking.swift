public import VTXMedia

// The blocking forms of the `async` functions, for plain threads.

extension DecompressionSession {
    /// Decodes a sample from a plain thread, which blocks while ``maxUnreadFrames`` frames are unread.
    ///
    /// - Throws: the errors of `decode(_:context:)`, and `badParameter` if called from the session's own output
    ///   handler, which must not wait for its session.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(_ sample: Sample, context: (any Sendable)? = nil) throws(SessionError) {
        try decodeAndWait { input throws(SessionError) in try input.put(sample, context: context) }
    }

    /// Decodes access units from a plain thread. See `decode(annexB:at:duration:context:)`.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(
        annexB: some Collection<UInt8>, at time: MediaTime? = nil, duration: MediaTime? = nil,
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try annexB.withBytes { bytes throws(SessionError) in
            try decodeAndWait(annexB: bytes, at: time, duration: duration, context: context)
        }
    }

    /// Decodes access units from a plain thread. See `decode(annexB:at:duration:context:)`.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(
        annexB: RawSpan, at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) throws(SessionError) {
        try decodeAndWait { input throws(SessionError) in
            try input.put(annexB: annexB, at: time, duration: duration, context: context)
        }
    }

    /// Decodes the next bytes of a byte stream from a plain thread. See `decode(stream:)`.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(stream chunk: some Collection<UInt8>) throws(SessionError) {
        try chunk.withBytes { bytes throws(SessionError) in try decodeAndWait(stream: bytes) }
    }

    /// Decodes the next bytes of a byte stream from a plain thread. See `decode(stream:)`.
    @available(*, noasync, message: "in a task, use await")
    public func decodeAndWait(stream chunk: RawSpan) throws(SessionError) {
        try decodeAndWait { input throws(SessionError) in try input.put(stream: chunk) }
    }

    private func decodeAndWait(
        _ put: (DecompressionInput) throws(SessionError) -> Void
    ) throws(SessionError) {
        try core.queue.checkCaller()
        try intake.take(put)
        let intake = intake
        try core.queue.waiting { () async throws(SessionError) in try await intake.decodeBacklog() }
    }

    /// Outputs every frame that the decoder holds back and blocks a plain thread meanwhile. See `flush()`.
    @available(*, noasync, message: "in a task, use await")
    public func flushAndWait() throws(SessionError) {
        try core.queue.waiting { () async throws(SessionError) in try await self.flush() }
    }
}
