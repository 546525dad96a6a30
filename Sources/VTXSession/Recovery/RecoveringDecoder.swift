package import VTXFFmpeg
package import VTXMedia

/// A decoder that goes on where its device fails: a new one, on the same device, then on the next, decodes again what was
/// sent since a random access point, and the frames that were given out already are dropped.
///
/// Unchecked: one thread at a time calls it, as the contract says.
package final class RecoveringDecoder: VideoDecoder, RecoveringCodec, @unchecked Sendable {
    package typealias Candidate = CodecCandidate<any VideoDecoder>

    /// Bytes of packets that are kept: more than ten seconds at 50 Mbit/s.
    package static let byteLimit = 64 << 20

    private var recoversStart: Bool
    let onReplacement: @Sendable ([CodecReplacement]) -> Void
    private var decoder: any VideoDecoder
    private var recovery: CodecRecovery<any VideoDecoder>
    private var unshown = UnshownPackets<Packet>(byteLimit: byteLimit)
    /// Numbers that packets came with, by those that they have here.
    private var ownNumbers: [Int: Int] = [:]
    var ready: [Frame] = []
    private var isEnding = false
    private var reorderDepth: Int?
    /// Frames up to this time were given out by the decoder before.
    private var isRepeating = false
    /// The last decoder began at a random access point, whose leading pictures are no loss.
    private var repeatedCount = 0

    /// - Parameters:
    ///   - decoder: open on the device of `place`.
    ///   - recoversStart: false where a failure before the first frame is the caller's.
    ///   - candidates: what may take over, the best first; asked at each failure.
    ///   - onReplacement: others have taken over.
    package init(
        _ decoder: any VideoDecoder, on place: Candidate, recoversStart: Bool,
        candidates: @escaping CodecRecovery<any VideoDecoder>.Candidates,
        onReplacement: @escaping @Sendable ([CodecReplacement]) -> Void = { _ in }
    ) {
        self.decoder = decoder
        self.recoversStart = recoversStart
        self.onReplacement = onReplacement
        recovery = CodecRecovery(at: place, candidates)
    }

    /// Opens the first decoder too, by the same rules.
    ///
    /// - Throws: why none can be opened; `none` where there are no candidates.
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

    /// The device that is at work.
    package var device: DeviceID? { recovery.place?.device }
    /// Too much has failed: nothing more comes.
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
        // What has shown frames can begin: a failure is not the caller's any more.
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
        // What is shown already proves nothing: a device that always fails at the same picture would be tried for ever.
        if isRepeating, unshown.isShown(frame.packetNumber, pts: frame.pts) { return }
        recovery.noteOutput()
        if !recovery.isRecoverable { unshown.removeAll() }
        isRepeating = false
        ready.append(frame)
    }
}

// MARK: Recovery

extension RecoveringDecoder {
    /// - Throws: the failure, also where no other decoder could begin.
    func replace(after failure: SessionError) throws(SessionError) -> CodecReplacement {
        let cause = failure.meaningLostCodec
        guard cause.code.meansInvalidSession, recovery.isRecoverable, !unshown.packets.isEmpty,
            unshown.hasShown || recoversStart
        else { throw failure }
        // What it held is free for the next one.
        decoder = LostDecoder()
        let (opened, replacement) = try recovery.replace(after: cause)
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
    /// A decoder was opened for a stream, and does not decode it: the device is not what it said.
    fileprivate var meaningLostCodec: SessionError {
        code == .unsupportedFormat ? SessionError(.hardwareMalfunction, message) : self
    }
}

/// Stands for a decoder that is gone.
private struct LostDecoder: VideoDecoder {
    func send(_ packet: Packet?) throws(SessionError) { throw Self.error }
    func receive() throws(SessionError) -> CodecOutput<Frame> { throw Self.error }
    func reset() {}

    private static var error: SessionError { SessionError(.notAvailableNow, "no device could be opened again") }
}
