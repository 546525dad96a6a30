package import VTXFFmpeg
package import VTXMedia

/// A decoder that recovers from a device failure: a replacement on the same device, then on the next, decodes again
/// from a random access point, and drops the frames that have already been output.
///
/// Unchecked: called by one thread at a time, as the contract requires.
package final class RecoveringDecoder: VideoDecoder, RecoveringCodec, @unchecked Sendable {
    package typealias Candidate = CodecCandidate<any VideoDecoder>

    /// The maximum size of the packets kept, in bytes: more than ten seconds at 50 Mbit/s.
    package static let byteLimit = 64 << 20

    private var recoversStart: Bool
    let onReplacement: @Sendable ([CodecReplacement]) -> Void
    private var decoder: any VideoDecoder
    private var recovery: CodecRecovery<any VideoDecoder>
    private var unshown = UnshownPackets<Packet>(byteLimit: byteLimit)
    /// The packets' original numbers by the numbers assigned here.
    private var ownNumbers: [Int: Int] = [:]
    var ready: [Frame] = []
    private var isEnding = false
    private var reorderDepth: Int?
    /// Whether frames that the previous decoder output may come out again.
    private var isRepeating = false
    /// The number of packets sent again from a random access point, whose missing leading pictures are not a loss.
    private var repeatedCount = 0

    /// - Parameters:
    ///   - decoder: The decoder that is open on the device of `candidate`.
    ///   - recoversStart: Whether to recover from a failure before the first frame. Otherwise the failure is thrown.
    ///   - candidates: The possible replacements, best first; requested at each failure.
    ///   - onReplacement: Called after replacements.
    package init(
        _ decoder: any VideoDecoder, on candidate: Candidate, recoversStart: Bool,
        candidates: @escaping CodecRecovery<any VideoDecoder>.Candidates,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void = { _ in }
    ) {
        self.decoder = decoder
        self.recoversStart = recoversStart
        self.onReplacement = onReplacement
        recovery = CodecRecovery(at: candidate, candidates)
    }

    /// Opens the first decoder as well, by the same rules.
    ///
    /// - Throws: why none can be opened; `none` if there are no candidates.
    package init(
        _ candidates: @escaping CodecRecovery<any VideoDecoder>.Candidates, else none: SessionError,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void,
        onProved: @escaping @Sendable (DeviceID) -> Void = { _ in }
    ) throws(SessionError) {
        var recovery = CodecRecovery(candidates, onProved: onProved)
        decoder = try recovery.open(else: none)
        self.recovery = recovery
        self.onReplacement = onReplacement
        recoversStart = true
    }

    /// The current device.
    package var device: DeviceID? { recovery.current?.device }
    /// Whether the limit of failures is reached, after which nothing comes out.
    package var hasEnded: Bool { recovery.hasEnded }

    package func send(_ packet: Packet?) throws(SessionError) {
        isEnding = packet == nil
        if let packet { try keep(packet) }
        try recovering { () throws(SessionError) in try decoder.send(packet) }
        recovery.noteAccepted()
    }

    package func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output = try nextOutput()
        if case .unit(let frame) = output {
            if recovery.isRecoverable { unshown.show(frame.packetNumber, pts: frame.pts) }
            frame.packetNumber = frame.packetNumber.map { ownNumbers.removeValue(forKey: $0) ?? $0 }
        }
        return output
    }

    func output() throws(SessionError) -> CodecOutput<Frame> { try decoder.receive() }

    package func reset() {
        decoder.reset()
        // A decoder that has output frames can start; later failures are recovered.
        recoversStart = recoversStart || unshown.hasShown
        unshown.reset()
        ownNumbers = [:]
        (ready, isEnding, isRepeating, repeatedCount) = ([], false, false, 0)
    }

    package func expectReordering(of depth: Int) {
        reorderDepth = depth
        decoder.expectReordering(of: depth)
    }

    package func missingPictures() -> MissingPictures {
        var missing = decoder.missingPictures()
        missing.leadingCount = max(0, missing.leadingCount - repeatedCount)
        return missing
    }

    private func keep(_ packet: Packet) throws(SessionError) {
        guard recovery.isRecoverable else { return }
        ownNumbers[unshown.nextNumber] = packet.number
        packet.number = unshown.nextNumber
        unshown.add(try reference(packet), byteCount: packet.byteCount, isRandomAccess: packet.isKeyFrame)
    }

    private func reference(_ packet: Packet) throws(SessionError) -> Packet {
        do { return try packet.reference() } catch {
            throw SessionError(error, while: "keeping a packet", else: .allocationFailed)
        }
    }

    func take(_ frame: Frame) {
        // Repeated frames do not count as output: a device that always fails at one frame would be retried forever.
        if isRepeating, unshown.isShown(frame.packetNumber, pts: frame.pts) { return }
        recovery.noteOutput()
        if !recovery.isRecoverable { unshown.removeAll() }
        isRepeating = false
        ready.append(frame)
    }
}

// MARK: Recovery

extension RecoveringDecoder {
    /// - Throws: the failure, also if no other decoder could start.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement {
        let cause = failure.meaningLostCodec
        guard cause.code.meansInvalidSession, recovery.isRecoverable, !unshown.packets.isEmpty,
            unshown.hasShown || recoversStart
        else { throw failure }
        // Frees its surfaces for the next decoder.
        decoder = LostDecoder()
        let (opened, replacement) = try recovery.replace(
            after: cause, isRejection: failure.code == .unsupportedFormat)
        decoder = opened
        if let reorderDepth { decoder.expectReordering(of: reorderDepth) }
        return replacement
    }

    func sendAgain() throws(SessionError) {
        (isRepeating, ready) = (true, [])
        let packets = unshown.packets
        repeatedCount = packets.count
        for (index, packet) in packets.enumerated() {
            do throws(SessionError) { try decoder.send(try reference(packet)) } catch {
                // Damage was told of when the packet came.
                if error.code != .badData || index == packets.count - 1 { throw error }
            }
            while case .unit(let frame) = try decoder.receive(onDamage: { _ in }) { take(frame) }
        }
        if isEnding { try decoder.send(nil) }
    }
}

extension SessionError {
    /// The error as the loss of a codec: a decoder that was opened for a stream and rejects it is on a device with
    /// wrong capabilities.
    fileprivate var meaningLostCodec: SessionError {
        code == .unsupportedFormat ? SessionError(.hardwareMalfunction, message) : self
    }
}

/// Takes the place of a lost decoder.
private struct LostDecoder: VideoDecoder {
    func send(_ packet: Packet?) throws(SessionError) { throw Self.error }
    func receive() throws(SessionError) -> CodecOutput<Frame> { throw Self.error }
    func reset() {}

    private static var error: SessionError { SessionError(.notAvailableNow, "no device could be reopened") }
}
