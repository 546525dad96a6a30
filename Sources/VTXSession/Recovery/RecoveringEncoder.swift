package import VTXFFmpeg
package import VTXMedia

/// An encoder that recovers from a device failure: frames whose packets are not final are sent again, to a new encoder
/// on the same device, then on the next, finally in software (VideoToolbox's rules, see ``SessionRecovery``).
///
/// Packets come out when ``UnsettledFrames`` are settled, so none has to be taken back. ``DecodingTimes`` continue
/// across encoders. The new encoder's parameter sets may differ: `parameters` are those of the last packet.
///
/// Unchecked: called by one thread at a time, as the contract requires.
package final class RecoveringEncoder: VideoEncoder, RecoveringCodec, @unchecked Sendable {
    package typealias Candidate = CodecCandidate<any VideoEncoder>

    private let recoversStart: Bool
    let onReplacement: @Sendable ([CodecReplacement]) -> Void
    private var encoder: any VideoEncoder
    package private(set) var replacementCount = 0
    private var recovery: CodecRecovery<any VideoEncoder>
    private var unsettled = UnsettledFrames<Frame?, Packet>()
    /// The decoding times of the first encoder; nil before its first packet.
    private var times: DecodingTimes?
    /// What the packets of all encoders have used of the stream's rate; nil if the rate is not limited.
    private var rate: RateAccount?
    var ready: [Packet] = []
    private var hasGivenOut = false
    private var isRetimed = false
    private var isEnding = false

    /// - Parameters:
    ///   - encoder: The encoder that is open on the device of `candidate`.
    ///   - recoversStart: Whether to recover from a failure before the first packet. Otherwise the failure is thrown.
    ///   - rate: The limit for all packets together.
    ///   - candidates: The possible replacements, best first; requested at each failure.
    ///   - onReplacement: Called after replacements.
    package init(
        _ encoder: any VideoEncoder, on candidate: Candidate, recoversStart: Bool, rate: RateAccount? = nil,
        candidates: @escaping CodecRecovery<any VideoEncoder>.Candidates,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void = { _ in }
    ) {
        self.encoder = encoder
        self.recoversStart = recoversStart
        self.onReplacement = onReplacement
        self.rate = rate
        recovery = CodecRecovery(at: candidate, candidates)
    }

    /// Opens the first encoder as well, by the same rules.
    ///
    /// - Throws: why none can be opened; `none` if there are no candidates.
    package init(
        _ candidates: @escaping CodecRecovery<any VideoEncoder>.Candidates, else none: SessionError,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void,
        onProved: @escaping @Sendable (DeviceID) -> Void = { _ in }
    ) throws(SessionError) {
        var recovery = CodecRecovery(candidates, onProved: onProved)
        encoder = try recovery.open(else: none)
        self.recovery = recovery
        self.onReplacement = onReplacement
        recoversStart = true
    }

    package var parameters: CodecParameters { encoder.parameters }
    package var compromises: [String] { encoder.compromises }
    package var mode: EncodingMode? { encoder.mode }
    /// The current device.
    package var device: DeviceID? { recovery.current?.device }
    /// Whether the limit of failures is reached, after which nothing comes out.
    package var hasEnded: Bool { recovery.hasEnded }

    package func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        guard let frame else {
            isEnding = true
            return try recovering { () throws(SessionError) in try encoder.send(nil, forcesKeyFrame: false) }
        }
        guard let pts = frame.pts else { throw SessionError(.badParameter, "a frame has no timestamp") }
        // Nothing takes over from software, which looks ahead at many frames: those are not kept.
        unsettled.add(recovery.isRecoverable ? frame : nil, pts: pts, isForcedKey: forcesKeyFrame)
        do throws(SessionError) {
            try recovering { () throws(SessionError) in try feed(frame, forcesKeyFrame: forcesKeyFrame) }
            recovery.noteAccepted()
        } catch {
            if !error.code.meansInvalidSession {
                unsettled.removeLast()
                recovery.noteRefusal(error)
            }
            throw error
        }
    }

    package func receive() throws(SessionError) -> CodecOutput<Packet> { try nextOutput() }

    /// Changes the rate of the current encoder. The owner of the candidates ensures that replacements use the new rate.
    package func changeRate(to configuration: EncoderConfiguration) -> Bool { encoder.changeRate(to: configuration) }

    func output() throws(SessionError) -> CodecOutput<Packet> {
        let output = try encoder.receive()
        if case .endOfStream = output { release(unsettled.settle()) }
        return output
    }

    /// Sends the encoder a reference of the frame, which may have to be sent again.
    private func feed(_ frame: Frame, forcesKeyFrame: Bool) throws(SessionError) {
        guard recovery.isRecoverable else { return try encoder.send(frame, forcesKeyFrame: forcesKeyFrame) }
        let copy: Frame
        do { copy = try frame.reference() } catch {
            throw SessionError(error, while: "keeping a frame", else: .allocationFailed)
        }
        try encoder.send(copy, forcesKeyFrame: forcesKeyFrame)
    }
}

// MARK: What comes out

extension RecoveringEncoder {
    func take(_ packet: Packet) {
        recovery.noteOutput()
        guard let pts = packet.pts else { return ready.append(packet) }
        if times == nil { times = DecodingTimes(pts: pts, dts: packet.dts ?? pts, shown: unsettled.frames.map(\.pts)) }
        release(unsettled.receive(packet, pts: pts))
    }

    private func release(_ packets: [Packet]) {
        guard !packets.isEmpty else { return }
        for packet in packets {
            let time = packet.pts.flatMap { times?.next($0) }
            // An encoder that reorders more than requested keeps its own decoding times.
            if isRetimed, let time { packet.dts = time }
            if let dts = packet.dts {
                rate?.take(byteCount: packet.byteCount, at: MediaTime(dts, packet.timeBase).seconds)
            }
        }
        hasGivenOut = true
        ready += packets
    }
}

// MARK: Recovery

extension RecoveringEncoder {
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement {
        guard failure.code.meansInvalidSession, recovery.isRecoverable, hasGivenOut || recoversStart else {
            throw failure
        }
        unsettled.beginAgain()
        if hasGivenOut { isRetimed = true } else { times = nil }
        // Frees its surfaces for the next encoder.
        encoder = LostEncoder(parameters: encoder.parameters)
        var (opened, replacement) = try recovery.replace(
            after: failure, keepingTo: needs)
        encoder = opened
        replacementCount += 1
        replacement.compromises = opened.compromises
        return replacement
    }

    /// The constraints of an encoder that continues after the final packets.
    private var needs: CodecNeeds { CodecNeeds(maxReorderDepth: times?.delay, rate: rate) }

    package func resume(after account: RateAccount) throws(SessionError) {
        guard rate != nil, let current = recovery.current else { return }
        rate = account
        // Frees its surfaces for the next encoder.
        encoder = LostEncoder(parameters: encoder.parameters)
        encoder = try current.open(needs)
    }

    func sendAgain() throws(SessionError) {
        for (index, kept) in unsettled.frames.enumerated() {
            guard let frame = kept.frame else { continue }
            try feed(frame, forcesKeyFrame: index == 0 || kept.isForcedKey)
            while case .unit(let packet) = try encoder.receive() { take(packet) }
        }
        if isEnding { try encoder.send(nil, forcesKeyFrame: false) }
    }
}

/// Takes the place of a lost encoder.
private struct LostEncoder: VideoEncoder {
    let parameters: CodecParameters
    let compromises: [String] = []

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) { throw Self.error }
    func receive() throws(SessionError) -> CodecOutput<Packet> { throw Self.error }

    private static var error: SessionError { SessionError(.notAvailableNow, "no device could be reopened") }
}
