package import VTXMedia

/// Opens another codec where one was lost: on the same device once more, then on the next, the last being software. Both
/// directions follow it, in the library's sessions and in the pipeline.
package struct CodecRecovery<Codec> {
    package typealias Candidate = CodecCandidate<Codec>

    /// Frames that a new codec has to give out before its device is trusted as before.
    private static var provingCount: Int { 20 }

    /// Where the codec that is at work is.
    package private(set) var place: Candidate
    private let candidates: @Sendable () -> [Candidate]
    private var session = SessionRecovery()
    private var failures = DeviceFailures()
    private var outputCount = 0

    /// - Parameters:
    ///   - place: where a codec is open.
    ///   - candidates: what may take over, the best first; asked at each failure.
    package init(at place: Candidate, candidates: @escaping @Sendable () -> [Candidate]) {
        (self.place, self.candidates) = (place, candidates)
        session.noteCreation(succeeded: true)
    }

    /// A unit was taken.
    package mutating func noteAccepted() { session.noteSuccess(cameOut: false) }

    /// A unit came out.
    package mutating func noteOutput() {
        session.noteSuccess(cameOut: true)
        outputCount += 1
        if outputCount == Self.provingCount { failures.noteSuccess(place.device) }
    }

    /// - Throws: the failure, where nothing takes over: it is none that costs a codec, or software's, or too many have
    ///   been opened in a row.
    package mutating func replace(
        after failure: SessionError, keepingTo needs: CodecNeeds = CodecNeeds()
    ) throws(SessionError) -> Codec {
        guard failure.code.meansInvalidSession, place.isHardware else { throw failure }
        failures.noteFailure(place.device)
        guard session.noteFailure(failure.code) == .retry else { throw failure }
        while case .createSession = session.preparation {
            for candidate in failures.ordered(candidates(), device: \.device) {
                guard let opened = try? candidate.open(needs) else { continue }
                (place, outputCount) = (candidate, 0)
                session.noteCreation(succeeded: true)
                return opened
            }
            session.noteCreation(succeeded: false)
        }
        throw failure
    }
}
