import VTXFFmpeg
package import VTXMedia

/// Opens a codec, and a replacement if it is lost: on the same device once more, then on the next, finally in software.
/// Used for encoders and decoders, by the library's sessions and by the pipeline.
package struct CodecRecovery<Codec> {
    package typealias Candidate = CodecCandidate<Codec>
    /// Returns the candidates, best first. Called each time a codec is opened, with whether a device has failed since
    /// the previous call.
    package typealias Candidates = @Sendable (_ hasFailed: Bool) -> [Candidate]

    /// The candidate of the open codec; nil before the first.
    package private(set) var current: Candidate?
    /// Whether the limit of failures is reached, after which no codec is opened.
    package private(set) var hasEnded = false
    private let candidates: Candidates
    /// Called when a device has output enough frames to be trusted.
    private let onProved: @Sendable (DeviceID) -> Void
    private var session = SessionRecovery()
    private var losses = DeviceLosses()
    private var hasFailed = false
    private var outputCount = 0

    package init(_ candidates: @escaping Candidates, onProved: @escaping @Sendable (DeviceID) -> Void = { _ in }) {
        (self.candidates, self.onProved) = (candidates, onProved)
    }

    /// - Parameter current: The candidate of a codec that is open.
    package init(at current: Candidate, _ candidates: @escaping Candidates) {
        self.init(candidates)
        self.current = current
        session.noteCreation(succeeded: true)
    }

    /// Whether the codec can be replaced. Software is the last resort.
    package var isRecoverable: Bool { current?.isHardware ?? true }

    /// Notes that a unit was accepted.
    package mutating func noteAccepted() { session.noteSuccess(cameOut: false) }

    /// Notes that a unit came out.
    package mutating func noteOutput() {
        session.noteSuccess(cameOut: true)
        outputCount += 1
        guard outputCount == DeviceLosses.provingCount, let current else { return }
        losses.noteOutput(current.device)
        onProved(current.device)
    }

    /// Notes that a unit failed and the codec continues.
    package mutating func noteRefusal(_ failure: SessionError) {
        if session.noteFailure(failure.code) == .giveUp { hasEnded = true }
    }

    /// - Parameter none: The error if there are no candidates.
    /// - Throws: why the best candidate could not be opened after the allowed number of attempts.
    package mutating func open(
        keepingTo needs: CodecNeeds = CodecNeeds(), else none: SessionError
    ) throws(SessionError) -> Codec {
        var refusals: [SessionError] = []
        while case .createSession = session.preparation {
            refusals = []
            for candidate in losses.ordered(candidates(hasFailed), device: \.device) {
                do throws(SessionError) {
                    let opened = try candidate.open(needs)
                    (current, outputCount) = (candidate, 0)
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

    /// - Parameter isRejection: Whether the device does not take the stream. If nothing came out, another attempt is useless.
    /// - Throws: the failure if there is no replacement: because it does not lose a codec, it occurred in software, or
    ///   too many codecs have been opened in a row.
    package mutating func replace(
        after failure: SessionError, keepingTo needs: CodecNeeds = CodecNeeds(), isRejection: Bool = false
    ) throws(SessionError) -> (codec: Codec, replacement: CodecReplacement) {
        guard failure.code.meansInvalidSession, let lost = current, lost.isHardware else { throw failure }
        hasFailed = true
        losses.noteLoss(lost.device)
        if isRejection, outputCount == 0 { losses.noteLoss(lost.device) }
        guard session.noteFailure(failure.code) == .retry else {
            hasEnded = true
            throw failure
        }
        do throws(SessionError) {
            let codec = try open(keepingTo: needs, else: failure)
            return (codec, CodecReplacement(of: lost, after: failure, by: current ?? lost))
        } catch { throw failure }
    }
}

/// The common part of encoders, decoders and filters that recover from a device failure.
protocol RecoveringCodec: AnyObject {
    associatedtype Unit
    /// The final output.
    var ready: [Unit] { get set }
    /// Called with the replacements, several if the first ones failed as well.
    var onReplacement: @Sendable ([CodecReplacement]) -> Void { get }
    /// Returns the output of the current codec.
    func output() throws(SessionError) -> CodecOutput<Unit>
    /// Takes a unit that came out, possibly a second time after a replacement.
    func take(_ unit: Unit)
    /// Opens a replacement.
    ///
    /// - Throws: the failure if there is none.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement
    /// Sends the replacement everything that has not come out.
    func sendAgain() throws(SessionError)
}

extension RecoveringCodec {
    /// Runs `work`, on a replacement if the codec fails. When this returns, the work is done.
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

    /// Returns the next unit, or why there is none.
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
