public import VTXMedia

// MARK: Decoding

extension DecompressionSession {
    /// Decodes a sample. Its format description may differ from that of the previous sample.
    ///
    /// - Parameters:
    ///   - sample: A sample of the session's codec.
    ///   - context: A value that is returned with the frame as ``DecodedFrame/context`` (C: `sourceFrameRefCon`).
    /// - Throws: ``SessionError``: `badParameter` for another codec; `invalidSession`; `outputNotRead` if ``frames`` is
    ///   full and the loop that read it has ended; otherwise the error that ended the session. A frame that cannot be
    ///   decoded does not throw: it comes out with an error.
    public func decode(_ sample: Sample, context: (any Sendable)? = nil) async throws(SessionError) {
        try await intake.decode { input throws(SessionError) in try input.put(sample, context: context) }
    }

    /// Decodes one or more complete frames in Annex B format. Start codes have three or four bytes; parameter sets,
    /// SEI, delimiters and filler data may be anywhere.
    ///
    /// - Parameters:
    ///   - annexB: The NAL units, as `[UInt8]`, `Data` or another collection. The end of the buffer is the end of a frame.
    ///   - time: The presentation time of the first frame; nil to derive it from the frame rate.
    ///   - duration: The duration of the first frame, or nil if unknown.
    ///   - context: A value that is returned with the first frame, if `time` is given.
    /// - Throws: the same as `decode(_:context:)`, and `badParameter` for AV1, which has no start codes.
    public func decode(
        annexB: some Collection<UInt8>, at time: MediaTime? = nil, duration: MediaTime? = nil,
        context: (any Sendable)? = nil
    ) async throws(SessionError) {
        try await intake.decode { input throws(SessionError) in
            try annexB.withBytes { bytes throws(SessionError) in
                try input.put(annexB: bytes, at: time, duration: duration, context: context)
            }
        }
    }

    /// Decodes one or more complete frames in Annex B format. See `decode(annexB:at:duration:context:)`.
    ///
    /// - Parameters:
    ///   - annexB: The NAL units. The bytes are copied before the first suspension.
    ///   - time: The presentation time of the first frame; nil to derive it from the frame rate.
    ///   - duration: The duration of the first frame, or nil if unknown.
    ///   - context: A value that is returned with the first frame, if `time` is given.
    public func decode(
        annexB: RawSpan, at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) async throws(SessionError) {
        try await intake.decode { input throws(SessionError) in
            try input.put(annexB: annexB, at: time, duration: duration, context: context)
        }
    }

    /// Decodes the next bytes of a byte stream, as read from a file or a socket. A frame is decoded when the next one
    /// begins, the last one in `flush()`. AV1 is expected in the low-overhead format of .obu files, with temporal
    /// delimiters; after corrupt data, decoding continues at the next delimiter that is followed by a sequence header.
    ///
    /// - Parameter chunk: The bytes, as `[UInt8]`, `Data` or another collection. If contiguous, they are copied once,
    ///   into the frames that the decoder reads.
    /// - Throws: the same as `decode(_:context:)`.
    public func decode(stream chunk: some Collection<UInt8>) async throws(SessionError) {
        try await intake.decode { input throws(SessionError) in
            try chunk.withBytes { bytes throws(SessionError) in try input.put(stream: bytes) }
        }
    }

    /// Decodes the next bytes of a byte stream. See `decode(stream:)`.
    public func decode(stream chunk: RawSpan) async throws(SessionError) {
        try await intake.decode { input throws(SessionError) in try input.put(stream: chunk) }
    }
}

// MARK: From a callback

extension DecompressionSession {
    /// The maximum number of submissions that wait for the decoder or for room in ``frames``.
    public static let maxWaitingSubmissions = 64

    /// Queues a sample without waiting, for callers that cannot block, such as a network library's callback.
    /// Submissions are decoded in order.
    ///
    /// - Throws: ``SessionError``: `notAvailableNow` if ``maxWaitingSubmissions`` submissions are queued: the sample is
    ///   not taken, and the caller decides what to drop; `invalidSession`; `outputNotRead`. Any other error that
    ///   `decode` would throw comes out as a frame's error.
    public func submit(_ sample: Sample, context: (any Sendable)? = nil) throws(SessionError) {
        let annotation = FrameAnnotation(time: sample.presentationTime, duration: sample.duration, context: context)
        try intake.submit(annotation) { input throws(SessionError) in try input.put(sample, context: context) }
    }

    /// Queues access units without waiting. See `decode(annexB:at:duration:context:)`.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(
        annexB: some Collection<UInt8>, at time: MediaTime? = nil, duration: MediaTime? = nil,
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try annexB.withBytes { bytes throws(SessionError) in
            try submit(annexB: bytes, at: time, duration: duration, context: context)
        }
    }

    /// Queues access units without waiting. See `decode(annexB:at:duration:context:)`.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(
        annexB: RawSpan, at time: MediaTime? = nil, duration: MediaTime? = nil, context: (any Sendable)? = nil
    ) throws(SessionError) {
        let annotation = time.map { FrameAnnotation(time: $0, duration: duration, context: context) }
        try intake.submit(annotation) { input throws(SessionError) in
            try input.put(annexB: annexB, at: time, duration: duration, context: context)
        }
    }

    /// Queues the next bytes of a byte stream without waiting. See `decode(stream:)`.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(stream chunk: some Collection<UInt8>) throws(SessionError) {
        try chunk.withBytes { bytes throws(SessionError) in try submit(stream: bytes) }
    }

    /// Queues the next bytes of a byte stream without waiting. See `decode(stream:)`.
    ///
    /// - Throws: the same as ``submit(_:context:)``.
    public func submit(stream chunk: RawSpan) throws(SessionError) {
        try intake.submit(nil) { input throws(SessionError) in try input.put(stream: chunk) }
    }
}
