import Dispatch
public import VTXMedia
import VTXSystem

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

extension SessionQueue {
    /// Runs a task, and keeps the calling thread until it has ended.
    func waiting(_ body: @escaping @Sendable () async throws(SessionError) -> Void) throws(SessionError) {
        guard !isCurrent else {
            throw SessionError(.badParameter, "a handler cannot wait for its own session; a task that it starts can")
        }
        let done = DispatchSemaphore(value: 0)
        let failure = Locked<SessionError?>(nil)
        Task.detached {
            do throws(SessionError) { try await body() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
