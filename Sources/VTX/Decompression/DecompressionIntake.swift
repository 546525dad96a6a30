import VTXMedia
import VTXSession

/// Passes compressed frames to the core, and holds them while too many decoded frames are unread. It does not retain
/// the session, which therefore ends with its last reference even if frames wait.
struct DecompressionIntake: Sendable {
    let core: DecompressionCore
    let frames: OutputQueue<DecodedFrame>

    /// Takes input, and decodes it when there is room for frames.
    func decode(
        _ put: (DecompressionInput) throws(SessionError) -> Void
    ) async throws(SessionError) {
        try take(put)
        try await decodeBacklog()
    }

    /// Takes input for `decodeBacklog()`.
    func take(_ put: (DecompressionInput) throws(SessionError) -> Void) throws(SessionError) {
        try checkReady()
        try put(core.input)
    }

    private func checkReady() throws(SessionError) {
        try frames.checkReader()
        try core.state.signals.check()
    }

    /// If the task is cancelled, the remaining units are decoded with the next ones.
    func decodeBacklog() async throws(SessionError) {
        repeat {
            guard try await frames.waitForRoom() else { return }
        } while try await core.decodeBacklog()
    }

    /// Takes input, and has it decoded later.
    ///
    /// - Parameter annotation: Of the frame to report if the input is refused; nil if there is none.
    func submit(
        _ annotation: FrameAnnotation?, _ put: (DecompressionInput) throws(SessionError) -> Void
    ) throws(SessionError) {
        try checkReady()
        try core.state.admitSubmission()
        do throws(SessionError) { try put(core.input) } catch { core.report(error, annotation) }
        Task {
            // Errors are reported with the frames that they cost.
            try? await decodeBacklog()
            core.state.noteSubmissionDone()
        }
    }
}

extension Collection<UInt8> {
    /// Calls a closure with the bytes, which are copied only if they are not contiguous.
    func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = withContiguousStorageIfAvailable { bytes in
            Swift.Result { () throws(Failure) in try body(bytes.span.bytes) }
        }
        guard let result else { return try body(Array(self).span.bytes) }
        return try result.get()
    }
}
