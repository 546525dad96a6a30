package import VTXFFmpeg
package import VTXMedia

/// A filter that recovers from a device failure: frames that have not come out are sent again, to a new filter on the
/// same device, then on the next, finally in software. No frame is decoded again.
///
/// The filter outputs one frame, or a fixed number of frames, per input frame, in order. A deinterlacer uses frames
/// that have come out as references, so those are sent again too, and their output is dropped.
///
/// Unchecked: called by one thread at a time, as the contract requires.
package final class RecoveringFilter: VideoFilter, RecoveringCodec, @unchecked Sendable {
    package typealias Candidate = CodecCandidate<any VideoFilter>

    /// The maximum number of preceding frames that a deinterlacer uses. One that needs more lacks them for its first
    /// frames.
    package static let maxReferences = 2

    let onReplacement: @Sendable ([CodecReplacement]) -> Void
    private let referenceCount: Int
    /// The number of output frames per input frame.
    private let outputCount: Int
    /// The number of frames already output for the first unfinished input frame.
    private var partialCount = 0
    private var filter: any VideoFilter
    private var recovery: CodecRecovery<any VideoFilter>
    /// The reference frames, then the unfinished frames, in order.
    private var kept: [Frame] = []
    /// The number of frames in `kept` whose output has come out.
    private var finishedCount = 0
    /// The number of next frames that come out a second time.
    private var repeatedCount = 0
    var ready: [Frame] = []
    /// Whether to recover from a failure. Otherwise it is thrown.
    private var recovers: Bool
    private var isEnding = false

    /// - Parameters:
    ///   - filter: The filter that is open on the device of `candidate`.
    ///   - keepsReferences: Whether it deinterlaces.
    ///   - outputCount: The number of output frames per input frame.
    ///   - recoversStart: Whether to recover from a failure before the first frame. Otherwise the failure is thrown.
    ///   - candidates: The possible replacements, best first; requested at each failure.
    ///   - onReplacement: Called after replacements.
    package init(
        _ filter: any VideoFilter, on candidate: Candidate, keepsReferences: Bool, outputCount: Int = 1,
        recoversStart: Bool = false,
        candidates: @escaping CodecRecovery<any VideoFilter>.Candidates,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void = { _ in }
    ) {
        self.filter = filter
        recovers = recoversStart
        self.onReplacement = onReplacement
        referenceCount = keepsReferences ? Self.maxReferences : 0
        self.outputCount = outputCount
        recovery = CodecRecovery(at: candidate, candidates)
    }

    package func send(_ frame: Frame?) throws(SessionError) {
        guard let frame else {
            isEnding = true
            return try recovering { () throws(SessionError) in try filter.send(nil) }
        }
        guard recovery.isRecoverable else { return try filter.send(frame) }
        kept.append(frame)
        try recovering { () throws(SessionError) in try filter.send(try reference(frame)) }
        recovery.noteAccepted()
    }

    package func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output = try nextOutput()
        if case .unit = output { finish() }
        return output
    }

    func output() throws(SessionError) -> CodecOutput<Frame> { try filter.receive() }

    func take(_ frame: Frame) {
        // A frame for the second time proves nothing.
        guard repeatedCount == 0 else { return repeatedCount -= 1 }
        recovery.noteOutput()
        ready.append(frame)
    }

    /// Notes that a part of the first unfinished frame has come out.
    private func finish() {
        recovers = true
        guard recovery.isRecoverable else { return kept = [] }
        partialCount += 1
        guard partialCount == outputCount else { return }
        partialCount = 0
        finishedCount += 1
        let surplus = max(0, finishedCount - referenceCount)
        kept.removeFirst(surplus)
        finishedCount -= surplus
    }

    /// Returns a reference for the filter, because the frame may have to be sent again.
    private func reference(_ frame: Frame) throws(SessionError) -> Frame {
        do { return try frame.reference() } catch {
            throw SessionError(error, while: "keeping a frame", else: .allocationFailed)
        }
    }
}

// MARK: Recovery

extension RecoveringFilter {
    /// - Throws: the failure, also if there is no replacement.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement {
        guard failure.code.meansInvalidSession, recovery.isRecoverable, recovers else { throw failure }
        // Frees its surfaces for the next filter.
        (filter, ready) = (PassThrough(), [])
        let (opened, replacement) = try recovery.replace(after: failure)
        filter = opened
        return replacement
    }

    func sendAgain() throws(SessionError) {
        repeatedCount = finishedCount * outputCount + partialCount
        for frame in kept {
            try filter.send(try reference(frame))
            while case .unit(let filtered) = try filter.receive() { take(filtered) }
        }
        if isEnding { try filter.send(nil) }
    }
}
