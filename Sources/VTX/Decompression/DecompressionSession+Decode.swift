public import VTXMedia

// MARK: Decoding

extension DecompressionSession {
    /// Decodes a sample. Its format description may be another one than that of the sample before.
    ///
    /// - Parameters:
    ///   - sample: of the session's codec.
    ///   - context: comes out with the frame, as ``DecodedFrame/context`` (C: `sourceFrameRefCon`).
    /// - Throws: ``SessionError``: `badParameter` for another codec, `invalidSession`, `outputNotRead` where
    ///   ``frames`` are full and their reader has ended, or the reason for which the session has ended. A frame that
    ///   cannot be decoded throws nothing: it comes out with an error.
    public func decode(_ sample: Sample, context: (any Sendable)? = nil) async throws(SessionError) {
        try queue.checkReader()
        try await core.put(sample, context: context)
        try await intake.decodeBacklog()
    }

    /// Decodes NAL units of one frame, or of several whole ones: after start codes of three or four bytes, with
    /// parameter sets, SEI, delimiters and filler wherever they are.
    ///
    /// - Parameters:
    ///   - annexB: the end of the buffer is the end of a frame.
    ///   - time: of the first frame in it; nil to count frames.
    ///   - duration: of that frame; nil where it is not known.
    ///   - context: comes out with that frame, where `time` is given.
    /// - Throws: the same as `decode(_:context:)`, and `badParameter` for AV1, which has no start codes.
    public func decode(
        annexB: [UInt8], at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) async throws(SessionError) {
        try queue.checkReader()
        try await core.put(annexB: annexB, at: time, duration: duration, context: context)
        try await intake.decodeBacklog()
    }

    /// Decodes the next bytes of a byte stream, as a file or a socket gives them. A frame is decoded when the beginning
    /// of the next one has come, the last one with `flush()`. AV1 comes in the low-overhead format of .obu files, with
    /// temporal delimiters; after damage, decoding goes on at the next delimiter that a sequence header follows.
    ///
    /// - Throws: the same as `decode(_:context:)`.
    public func decode(stream chunk: [UInt8]) async throws(SessionError) {
        try queue.checkReader()
        try await core.put(stream: chunk)
        try await intake.decodeBacklog()
    }
}

// MARK: From a callback

extension DecompressionSession {
    /// How many submissions may wait for the decoder, or for room among ``frames``.
    public static let maxWaitingSubmissions = 64

    /// `decode(_:context:)` for callers that cannot wait, such as a network library's callback: the sample is decoded
    /// after those that wait already.
    ///
    /// - Throws: ``SessionError``: `notAvailableNow` where ``maxWaitingSubmissions`` wait: nothing was taken, and the
    ///   caller decides what to leave out. `invalidSession`, `outputNotRead`. What `decode` would throw comes out as a
    ///   frame's error.
    public func submit(_ sample: Sample, context: (any Sendable)? = nil) throws(SessionError) {
        let annotation = FrameAnnotation(time: sample.presentationTime, duration: sample.duration, context: context)
        try intake.submit(annotation) { core throws(SessionError) in try core.put(sample, context: context) }
    }

    /// `decode(annexB:at:duration:context:)` for callers that cannot wait.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(
        annexB: [UInt8], at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) throws(SessionError) {
        let annotation = time.map { FrameAnnotation(time: $0, duration: duration, context: context) }
        try intake.submit(annotation) { core throws(SessionError) in
            try core.put(annexB: annexB, at: time, duration: duration, context: context)
        }
    }

    /// `decode(stream:)` for callers that cannot wait.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(stream chunk: [UInt8]) throws(SessionError) {
        try intake.submit(nil) { core throws(SessionError) in try core.put(stream: chunk) }
    }
}

/// What brings compressed frames to the core, and keeps them waiting while the frames that are not read yet are too
/// many. It does not hold the session, which ends with its last reference, whatever waits.
struct DecompressionIntake: Sendable {
    let core: DecompressionCore
    let frames: OutputQueue<DecodedFrame>

    /// What still waits where the task is cancelled is decoded with what comes next.
    func decodeBacklog() async throws(SessionError) {
        repeat {
            guard try await frames.waitForRoom() else { return }
        } while try await core.decodeBacklog()
    }

    /// - Parameter annotation: of the frame that fails where nothing can be put in; nil where none is known.
    func submit(
        _ annotation: FrameAnnotation?,
        _ put: @escaping @Sendable (isolated DecompressionCore) throws(SessionError) -> Void
    ) throws(SessionError) {
        try frames.checkReader()
        try core.submit(annotation, put)
        Task {
            // What goes wrong is told with the frames that it costs.
            try? await decodeBacklog()
            core.state.noteSubmissionDone()
        }
    }
}
