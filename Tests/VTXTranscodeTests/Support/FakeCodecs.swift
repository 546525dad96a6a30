import VTXFFmpeg
import VTXMedia
import VTXSession

/// Units in, units out, and an end; what all three stages have in common. One thread at a time calls it.
final class FakeStage<Unit: Sendable>: @unchecked Sendable {
    private var ready: [Unit] = []
    private var isAtEnd = false
    private var calls = 0

    /// - Returns: how many units have come, this one included.
    func take(_ unit: Unit?) -> Int {
        if let unit { ready.append(unit) } else { isAtEnd = true }
        calls += 1
        return calls
    }

    func give() -> CodecOutput<Unit> {
        if !ready.isEmpty { return .unit(ready.removeFirst()) }
        return isAtEnd ? .endOfStream : .needsInput
    }
}

final class FakeDecoder: VideoDecoder {
    private let stage = FakeStage<Frame>()
    private let fault: FakeBackend.Fault?

    init(_ fault: FakeBackend.Fault?) { self.fault = fault }

    func send(_ packet: Packet?) throws(SessionError) {
        guard let packet else {
            _ = stage.take(nil)
            return
        }
        guard let frame = try? Frame(timeBase: packet.timeBase) else {
            throw SessionError(.allocationFailed, "no memory")
        }
        frame.pts = packet.pts
        frame.duration = packet.duration
        let count = stage.take(frame)
        if fault == .decode(count) { throw SessionError(.hardwareMalfunction, "the fake decoder broke") }
        if fault == .badPacket(count) {
            _ = stage.give()
            throw SessionError(.badData, "damaged")
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { stage.give() }
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
