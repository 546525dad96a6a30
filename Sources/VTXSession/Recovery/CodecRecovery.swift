import VTXFFmpeg
package import VTXMedia

/// Opens a codec, and another one where it was lost: on the same device once more, then on the next, the last being
/// software. Encoders and decoders follow it, in the library's sessions and in the pipeline.
package struct CodecRecovery<Codec> {
    package typealias Candidate = CodecCandidate<Codec>
    /// What there is, the best first. Asked whenever a codec is opened: whether a device has failed since the last time.
    package typealias Candidates = @Sendable (_ hasFailed: Bool) -> [Candidate]

    /// Frames that a new codec has to give out before its device is trusted as before.
    private static var provingCount: Int { 20 }

    /// Where the codec is that is at work; nil before the first.
    package private(set) var place: Candidate?
    /// Too much has failed: nothing is opened any more.
    package private(set) var hasEnded = false
    private let candidates: Candidates
    /// A device has given out as many frames as make it trusted.
    private let onProved: @Sendable (DeviceID) -> Void
    private var session = SessionRecovery()
    private var losses = CodecLosses()
    private var hasFailed = false
    private var outputCount = 0

    package init(_ candidates: @escaping Candidates, onProved: @escaping @Sendable (DeviceID) -> Void = { _ in }) {
        (self.candidates, self.onProved) = (candidates, onProved)
    }

    /// - Parameter place: where a codec is open.
    package init(at place: Candidate, _ candidates: @escaping Candidates) {
        self.init(candidates)
        self.place = place
        session.noteCreation(succeeded: true)
    }

    /// Nothing takes over from software.
    package var isRecoverable: Bool { place?.isHardware ?? true }

    /// A unit was taken.
    package mutating func noteAccepted() { session.noteSuccess(cameOut: false) }

    /// A unit came out.
    package mutating func noteOutput() {
        session.noteSuccess(cameOut: true)
        outputCount += 1
        guard outputCount == Self.provingCount, let place else { return }
        losses.noteOutput(place.device)
        onProved(place.device)
    }

    /// A unit failed, and its codec goes on.
    package mutating func noteRefusal(_ failure: SessionError) {
        if session.noteFailure(failure.code) == .giveUp { hasEnded = true }
    }

    /// - Parameter none: what is wrong where there are no candidates.
    /// - Throws: why the first of them cannot be opened; it has been tried often enough.
    package mutating func open(
        keepingTo needs: CodecNeeds = CodecNeeds(), else none: SessionError
    ) throws(SessionError) -> Codec {
        var refusals: [SessionError] = []
        while case .createSession = session.preparation {
            refusals = []
            for candidate in losses.ordered(candidates(hasFailed), device: \.device) {
                do throws(SessionError) {
                    let opened = try candidate.open(needs)
                    (place, outputCount) = (candidate, 0)
                    session.noteCreation(succeeded: true)
                    return opened
                } catch { refusals.append(error) }
            }
            hasFailed = true
            session.noteCreation(succeeded: false)
        }
        hasEnded = true
        throw refusals.first ?? none
    }

    /// - Throws: the failure, where nothing takes over: it is none that costs a codec, or software's, or too many have
    ///   been opened in a row.
    package mutating func replace(
        after failure: SessionError, keepingTo needs: CodecNeeds = CodecNeeds()
    ) throws(SessionError) -> (codec: Codec, replacement: CodecReplacement) {
        guard failure.code.meansInvalidSession, let lost = place, lost.isHardware else { throw failure }
        hasFailed = true
        losses.noteLoss(lost.device)
        guard session.noteFailure(failure.code) == .retry else {
            hasEnded = true
            throw failure
        }
        do throws(SessionError) {
            let codec = try open(keepingTo: needs, else: failure)
            return (codec, CodecReplacement(of: lost, after: failure, by: place ?? lost))
        } catch { throw failure }
    }
}

/// What is the same of encoders, decoders and filters that go on where their device fails.
protocol RecoveringCodec: AnyObject {
    associatedtype Unit
    /// Has come out for good.
    var ready: [Unit] { get set }
    /// Others have taken over: those that were lost one after the other, until one had taken all.
    var onReplacement: @Sendable ([CodecReplacement]) -> Void { get }
    /// What the codec that is at work has to give.
    func output() throws(SessionError) -> CodecOutput<Unit>
    /// A unit has come out of it; it may have come out of another one before.
    func take(_ unit: Unit)
    /// Opens another one in its place.
    ///
    /// - Throws: the failure, where nothing takes over.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement
    /// Sends the new one all that has not come out.
    func sendAgain() throws(SessionError)
}

extension RecoveringCodec {
    /// Where this returns, what `work` wanted has been done, by it or by another codec.
    func recovering(_ work: () throws(SessionError) -> Void) throws(SessionError) {
        do throws(SessionError) { try work() } catch { try recover(from: error) }
    }

    private func recover(from failure: SessionError) throws(SessionError) {
        var (failure, replacements) = (failure, [CodecReplacement]())
        while true {
            replacements.append(try replace(after: failure))
            do throws(SessionError) {
                try sendAgain()
                return onReplacement(replacements)
            } catch { failure = error }
        }
    }

    /// The next unit, or why there is none.
    func nextOutput() throws(SessionError) -> CodecOutput<Unit> {
        while ready.isEmpty {
            var output: CodecOutput<Unit>?
            try recovering { () throws(SessionError) in output = try self.output() }
            switch output {
            case .unit(let unit)?: take(unit)
            case let end?: if ready.isEmpty { return end }
            case nil: break
            }
        }
        return .unit(ready.removeFirst())
    }
}
