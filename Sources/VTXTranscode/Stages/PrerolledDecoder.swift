import VTXFFmpeg
import VTXMedia
import VTXSession

/// A decoder that has decoded the first packets of a source for planning. When the same packets arrive through the
/// pipeline, it outputs the frames it already has: nothing is decoded twice.
///
/// If other packets arrive, for example after a seek, or a timestamp was replaced, the decoder starts over. Timestamps
/// that are all shifted by the same offset count as equal.
///
/// Unchecked: called by one thread at a time, as the contract requires.
final class PrerolledDecoder: VideoDecoder, @unchecked Sendable {
    private let decoder: any VideoDecoder
    /// The packets sent that have not arrived through the pipeline; nil is the end.
    private var expected: [SentPacket?] = []
    /// Those that have arrived, while the rest is expected.
    private var arrived: [Packet] = []
    private var outputs: [Result<Frame, SessionError>] = []
    /// The offset that the pipeline adds to timestamps. The decoder uses those of the source.
    private var shift: Int64?

    private struct SentPacket {
        var packet: Packet
        var times: PacketTimes
    }

    init(_ decoder: any VideoDecoder) { self.decoder = decoder }

    // MARK: Before the pipeline runs

    /// The frames that have come out.
    var frames: [Frame] { outputs.compactMap { try? $0.get() } }

    /// The error that stopped decoding, other than corrupt data.
    var failure: SessionError? {
        outputs.lazy.compactMap { if case .failure(let error) = $0, error.code != .badData { error } else { nil } }
            .first
    }

    /// - Parameter packet: nil for the end.
    func preroll(_ packet: Packet?) {
        expected.append(packet.map { SentPacket(packet: $0, times: PacketTimes($0)) })
        decode(packet)
    }

    private func decode(_ packet: Packet?) {
        do throws(SessionError) { try decoder.send(packet) } catch { outputs.append(.failure(error)) }
        do throws(SessionError) {
            while case .unit(let frame) = try decoder.receive(onDamage: { outputs.append(.failure($0)) }) {
                outputs.append(.success(frame))
            }
        } catch { outputs.append(.failure(error)) }
    }

    // MARK: In the pipeline

    func send(_ packet: Packet?) throws(SessionError) {
        if !expected.isEmpty {
            if isExpected(packet) { return confirm(packet) }
            beginAgain()
        }
        if let shift { packet?.shift(by: -shift) }
        try decoder.send(packet)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        guard expected.isEmpty else { return .needsInput }
        let output = outputs.isEmpty ? try decoder.receive() : .unit(try outputs.removeFirst().get())
        if case .unit(let frame) = output, let shift { frame.pts = frame.pts.map { $0 + shift } }
        return output
    }

    private func isExpected(_ packet: Packet?) -> Bool {
        switch (expected[0], packet) {
        case (nil, nil): return true
        case (let sent?, let packet?):
            let times = PacketTimes(packet)
            return (sent.packet === packet || sent.packet.hasBytes(of: packet))
                && times == sent.times.shifted(by: offset(of: times, from: sent.times) ?? 0)
        default: return false
        }
    }

    /// Returns the offset that the pipeline adds; nil if no packet has had a timestamp so far.
    private func offset(of times: PacketTimes, from sent: PacketTimes) -> Int64? {
        if let shift { return shift }
        guard let time = times.pts ?? times.dts, let other = sent.pts ?? sent.dts else { return nil }
        return time - other
    }

    private func confirm(_ packet: Packet?) {
        let sent = expected.removeFirst()
        if let packet, let sent {
            arrived.append(packet)
            shift = offset(of: PacketTimes(packet), from: sent.times)
        }
        if expected.isEmpty { arrived = [] }
    }

    private func beginAgain() {
        let packets = arrived
        reset()
        for packet in packets { decode(packet) }
    }

    func reset() {
        decoder.reset()
        (expected, arrived, outputs, shift) = ([], [], [], nil)
    }

    func expectReordering(of depth: Int) { decoder.expectReordering(of: depth) }
    func missingPictures() -> MissingPictures { decoder.missingPictures() }
}

extension PacketTimes {
    fileprivate func shifted(by ticks: Int64) -> PacketTimes {
        PacketTimes(pts: pts.map { $0 &+ ticks }, dts: dts.map { $0 &+ ticks }, duration: duration, isHidden: isHidden)
    }
}
