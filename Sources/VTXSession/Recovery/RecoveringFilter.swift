package import VTXFFmpeg
package import VTXMedia

/// A filter that goes on where its device fails: frames that have not come out are sent again, to a new filter on the
/// same device, then to the next device, the last being software. No frame is decoded a second time for it.
///
/// The filter gives a frame for a frame, or as many for each, in their order. A deinterlacer looks at frames that came out
/// before, so those are sent again too, and what comes of them is dropped.
///
/// Unchecked: one thread at a time calls it, as the contract says.
package final class RecoveringFilter: VideoFilter, RecoveringCodec, @unchecked Sendable {
    package typealias Candidate = CodecCandidate<any VideoFilter>

    /// Frames before a frame that a deinterlacer looks at; one that wants more sees its first frame alone.
    package static let maxReferences = 2

    let onReplacement: @Sendable ([CodecReplacement]) -> Void
    private let referenceCount: Int
    /// Frames that come out for each.
    private let outputCount: Int
    /// Of those of the first frame that is not finished, the ones that have come out.
    private var partialCount = 0
    private var filter: any VideoFilter
    private var recovery: CodecRecovery<any VideoFilter>
    /// References, then what has not come out, in their order.
    private var kept: [Frame] = []
    /// Of `kept`, those that have come out.
    private var finishedCount = 0
    /// Frames that come out a second time next.
    private var repeatedCount = 0
    var ready: [Frame] = []
    /// A failure is not the caller's.
    private var recovers: Bool
    private var isEnding = false

    /// - Parameters:
    ///   - filter: open on the device of `place`.
    ///   - keepsReferences: it deinterlaces.
    ///   - outputCount: how many frames come out for each.
    ///   - recoversStart: false where a failure before the first frame is the caller's.
    ///   - candidates: what may take over, the best first; asked at each failure.
    ///   - onReplacement: others have taken over.
    package init(
        _ filter: any VideoFilter, on place: Candidate, keepsReferences: Bool, outputCount: Int = 1,
        recoversStart: Bool = false,
        candidates: @escaping CodecRecovery<any VideoFilter>.Candidates,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void = { _ in }
    ) {
        self.filter = filter
        recovers = recoversStart
        self.onReplacement = onReplacement
        referenceCount = keepsReferences ? Self.maxReferences : 0
        self.outputCount = outputCount
        recovery = CodecRecovery(at: place, candidates)
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

    /// A part of the first frame that had not come out does.
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

    /// The filter takes its frame over, and it may have to be sent again.
    private func reference(_ frame: Frame) throws(SessionError) -> Frame {
        do { return try frame.reference() } catch {
            throw SessionError(error, while: "keeping a frame", else: .allocationFailed)
        }
    }
}

// MARK: Recovery

extension RecoveringFilter {
    /// - Throws: the failure, also where nothing takes over.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement {
        guard failure.code.meansInvalidSession, recovery.isRecoverable, recovers else { throw failure }
        // What it held is free for the next one.
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
