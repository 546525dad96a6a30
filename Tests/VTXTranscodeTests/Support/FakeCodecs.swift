import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// Units in, units out, and an end: shared by all three stages. One thread at a time calls it.
final class FakeStage<Unit: Sendable>: @unchecked Sendable {
    private var ready: [Unit] = []
    private var isAtEnd = false
    private var calls = 0

    /// - Returns: the number of units, including this one.
    func take(_ unit: Unit?) -> Int {
        if let unit { ready.append(unit) } else { isAtEnd = true }
        calls += 1
        return calls
    }

    func end() { isAtEnd = true }
    func reset() { (ready, isAtEnd) = ([], false) }

    func give() -> CodecOutput<Unit> {
        if !ready.isEmpty { return .unit(ready.removeFirst()) }
        return isAtEnd ? .endOfStream : .needsInput
    }
}

/// Frames with the times of their packets, without content.
final class FakeDecoder: VideoDecoder {
    private let stage = FakeStage<Frame>()
    /// PTS of all packets, and nil for resets.
    let log = Locked<[Int64?]>([])

    func send(_ packet: Packet?) throws(SessionError) {
        guard let packet else { return stage.end() }
        log.withLock { $0.append(packet.pts ?? -1) }
        guard let frame = try? Frame(timeBase: packet.timeBase) else {
            throw SessionError(.allocationFailed, "no memory")
        }
        frame.pts = packet.pts
        frame.duration = packet.duration
        _ = stage.take(frame)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { stage.give() }

    func reset() {
        log.withLock { $0.append(nil) }
        stage.reset()
    }
}

/// libavcodec's decoder with a scripted failure; packets are counted from 1.
///
/// Unchecked: by contract, one thread at a time calls it.
final class FaultyDecoder: VideoDecoder, @unchecked Sendable {
    private let decoder: DecoderContext
    private let fault: FakeBackend.Fault?
    private var calls = 0
    private var isDamaged = false

    init(_ stream: InputStream, _ fault: FakeBackend.Fault?) throws(SessionError) {
        self.fault = fault
        do { decoder = try DecoderContext(stream, threads: 1) } catch {
            throw SessionError(error, while: "opening a decoder", else: .noSuchDecoder)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        if packet != nil { calls += 1 }
        if packet != nil, fault == .decode(calls) {
            throw SessionError(.hardwareMalfunction, "the fake decoder broke")
        }
        isDamaged = packet != nil && fault == .badPacket(calls)
        do { try decoder.send(packet) } catch { throw SessionError(error, while: "decoding", else: .badData) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        do throws(FFmpegError) {
            let output = try decoder.receive()
            guard case .unit = output, isDamaged else { return output }
        } catch { throw SessionError(error, while: "decoding", else: .badData) }
        isDamaged = false
        throw SessionError(.badData, "damaged")
    }

    func reset() {
        decoder.reset()
        calls = 0
    }
}

final class FakeFilter: VideoFilter {
    private let stage = FakeStage<Frame>()
    private let fault: FakeBackend.Fault?

    init(_ fault: FakeBackend.Fault?) { self.fault = fault }

    func send(_ frame: Frame?) throws(SessionError) {
        if fault == .filter(stage.take(frame)) { throw SessionError(.unsupportedFormat, "the fake filter broke") }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { stage.give() }
}

final class FakeEncoder: VideoEncoder {
    let parameters: CodecParameters
    let mode: EncodingMode?
    let compromises: [String]
    private let timeBase: Rational
    private let stage = FakeStage<Packet>()
    private let fault: FakeBackend.Fault?

    init(
        _ parameters: CodecParameters, _ timeBase: Rational, _ mode: EncodingMode?, _ fault: FakeBackend.Fault?
    ) {
        self.parameters = parameters
        self.mode = mode
        compromises = mode?.rateControl == "CQP" ? ["CQP stands for VBR"] : []
        self.timeBase = timeBase
        self.fault = fault
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let packet = frame.flatMap {
            try? Packet(bytes: [1, 2, 3], pts: $0.pts, dts: $0.pts, duration: 0, timeBase: timeBase)
        }
        if fault == .encode(stage.take(packet)) || isBroken {
            throw SessionError(.hardwareMalfunction, "the fake encoder broke")
        }
    }

    private var isBroken: Bool {
        guard case .encodingModes(let broken) = fault, let mode else { return false }
        return broken.contains(mode.rateControl)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> { stage.give() }
}
