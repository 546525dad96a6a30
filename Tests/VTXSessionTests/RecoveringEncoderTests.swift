import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

@Suite("An encoder that continues when its device fails")
struct RecoveringEncoderTests {
    private static let count = 120

    /// The scripted failure of a device.
    enum Fault: Sendable, Hashable, CaseIterable {
        /// One call; the device works afterwards.
        case once
        /// The call and all later ones.
        case lost
        /// When a packet is received.
        case receiving
    }

    /// The devices of one run, and their calls.
    private final class Machine: Sendable {
        struct State {
            var sends = 0
            var sentFrames: [Int64] = []
            var forcedKeys: [Int64] = []
            var opened: [String] = []
            var needs = CodecNeeds()
        }

        let state = Locked(State())
        let fault: Fault
        let call: Int
        let delay: Int

        init(_ fault: Fault, at call: Int, delay: Int) { (self.fault, self.call, self.delay) = (fault, call, delay) }

        func candidate(_ name: String) -> RecoveringEncoder.Candidate {
            let matrix = CapabilityMatrix(
                device: DeviceID(name), deviceName: name, isHardware: name != "software", selectors: [],
                decoding: .everything, filtering: .everything, encoders: [])
            return CodecCandidate(matrix) { [self] needs throws(SessionError) in
                state.withLock { ($0.needs, $0.opened) = (needs, $0.opened + [name]) }
                return try ScriptedEncoder(self, name, delay: min(delay, needs.maxReorderDepth ?? .max))
            }
        }

        func isFailing(_ name: String, isReceiving: Bool) -> Bool {
            guard name == "gpu" else { return false }
            return state.withLock { state in
                switch fault {
                case .once: return !isReceiving && state.sends == call
                case .lost: return state.sends >= call
                case .receiving:
                    guard isReceiving, state.sends == call else { return false }
                    state.sends += 1
                    return true
                }
            }
        }
    }

    /// Outputs packets like libavcodec's encoders: pairs of B frames, with DTS by their rule.
    private final class ScriptedEncoder: VideoEncoder, @unchecked Sendable {
        let parameters: CodecParameters
        let compromises: [String] = []
        private let machine: Machine
        private let name: String
        private let delay: Int
        private var times: [Int64] = []
        private var waiting: [Int64] = []
        private var coded: [(pts: Int64, isKey: Bool)] = []
        private var given = 0
        private var isEnding = false

        init(_ machine: Machine, _ name: String, delay: Int) throws(SessionError) {
            (self.machine, self.name, self.delay) = (machine, name, delay)
            do { parameters = try CodecParameters(attachment: Array(name.utf8), codecName: "h264") } catch {
                throw SessionError(error, while: "describing", else: .allocationFailed)
            }
        }

        func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
            guard let frame, let pts = frame.pts else {
                isEnding = true
                return code()
            }
            machine.state.withLock { state in
                if name == "gpu" { state.sends += 1 }
                state.sentFrames.append(pts)
                if forcesKeyFrame { state.forcedKeys.append(pts) }
            }
            if machine.isFailing(name, isReceiving: false) { throw Self.broken }
            if times.isEmpty || forcesKeyFrame {
                code()
                coded.append((pts, true))
            } else {
                waiting.append(pts)
            }
            times.append(pts)
            if waiting.count == (delay > 0 ? 3 : 1) { code() }
        }

        /// The last frame first, because the others refer to it.
        private func code() {
            guard let last = waiting.popLast() else { return }
            coded += [(last, false)] + waiting.map { ($0, false) }
            waiting = []
        }

        func receive() throws(SessionError) -> CodecOutput<Packet> {
            if machine.isFailing(name, isReceiving: true) { throw Self.broken }
            guard given < coded.count, given + delay < times.count || isEnding else {
                return isEnding ? .endOfStream : .needsInput
            }
            let (pts, isKey) = coded[given]
            let lead = times.count > delay ? times[delay] - times[0] : 0
            let dts = given < delay ? times[given] - lead : times[given - delay]
            given += 1
            do {
                return .unit(
                    try Packet(
                        bytes: Array(name.utf8), pts: pts, dts: dts, duration: 0, timeBase: Rational(1, 1000),
                        isKeyFrame: isKey))
            } catch { throw SessionError(error, while: "giving", else: .allocationFailed) }
        }

        private static let broken = SessionError(.hardwareMalfunction, "the scripted device broke")
    }

    private struct Outcome {
        var packets: [(pts: Int64, dts: Int64, isKey: Bool, device: String)]
        var replacements: [CodecReplacement]
        var machine: Machine.State
    }

    private func run(
        _ fault: Fault, at call: Int, delay: Int, recoversStart: Bool = true, devices: [String] = ["gpu", "software"],
        limit: VBV? = nil
    ) throws -> Outcome {
        let machine = Machine(fault, at: call, delay: delay)
        let candidates = devices.map(machine.candidate)
        let replacements = Locked<[CodecReplacement]>([])
        let encoder = RecoveringEncoder(
            try candidates[0].open(CodecNeeds()), on: candidates[0], recoversStart: recoversStart,
            rate: RateAccount(limit: limit),
            candidates: { _ in candidates },
            onReplacement: { lost in replacements.withLock { $0 += lost } })
        return Outcome(
            packets: try Self.encode(with: encoder), replacements: replacements.withLock { $0 },
            machine: machine.state.withLock { $0 })
    }

    private static func encode(
        with encoder: RecoveringEncoder
    ) throws -> [(pts: Int64, dts: Int64, isKey: Bool, device: String)] {
        var packets: [(pts: Int64, dts: Int64, isKey: Bool, device: String)] = []
        func take() throws {
            while case .unit(let packet) = try encoder.receive() {
                let device = String(decoding: encoder.parameters.extradata, as: UTF8.self)
                #expect(device == String(decoding: packet.bytes, as: UTF8.self))
                packets.append((packet.pts ?? -1, packet.dts ?? -1, packet.isKeyFrame, device))
            }
        }
        for index in 0..<count {
            let frame = try Frame(size: PixelSize(16, 16), pixelFormat: .nv12)
            // Frames with irregular durations.
            frame.pts = Int64(1000 + index * 40 + index % 3)
            try encoder.send(frame, forcesKeyFrame: index % 50 == 49)
            try take()
        }
        try encoder.send(nil, forcesKeyFrame: false)
        try take()
        return packets
    }

    @Test(
        "a fault at every frame loses no frame and no time, and few frames are encoded twice",
        arguments: Fault.allCases, [0, 1])
    func everyIndex(fault: Fault, delay: Int) throws {
        let undisturbed = try run(.once, at: 0, delay: delay)
        for call in 1...Self.count {
            let outcome = try run(fault, at: call, delay: delay)
            #expect(outcome.packets.map(\.pts).sorted() == undisturbed.packets.map(\.pts).sorted(), "call \(call)")
            #expect(outcome.packets.map(\.dts) == undisturbed.packets.map(\.dts), "call \(call)")
            #expect(outcome.packets.allSatisfy { $0.dts <= $0.pts })
            #expect(outcome.machine.sentFrames.count <= Self.count + (fault == .lost ? 12 : 6), "call \(call)")
            #expect(outcome.replacements.map(\.isSameDevice) == (fault == .lost ? [true, false] : [true]))
        }
    }

    @Test("the first frame of the next device is a key frame, and no earlier frame refers past it", arguments: [0, 1])
    func seam(delay: Int) throws {
        for call in 2...Self.count {
            let outcome = try run(.lost, at: call, delay: delay)
            let seam = try #require(outcome.packets.firstIndex { $0.device == "software" })
            let before = outcome.packets[..<seam].map(\.pts)
            #expect(outcome.packets[seam].isKey && before.max() ?? 0 < outcome.packets[seam].pts)
            #expect(outcome.packets[seam...].allSatisfy { $0.device == "software" })
        }
    }

    @Test("the replacement continues the decoder's buffer from all earlier packets", arguments: [0, 1])
    func buffer(delay: Int) throws {
        // A packet has 24 bits, and 8 are added between packets.
        let limit = VBV(bitrate: 200, bufferSize: 1000)
        for call in [10, 60] {
            let outcome = try run(.lost, at: call, delay: delay, limit: limit)
            var bucket = LeakyBucket(limit)
            for packet in outcome.packets.prefix(while: { $0.device == "gpu" }) {
                bucket.take(byteCount: packet.device.utf8.count, at: MediaTime(packet.dts, Rational(1, 1000)).seconds)
            }
            #expect(outcome.machine.needs.rate?.bufferFullness == bucket.fullness && bucket.fullness < 0.7)
        }
        #expect(try run(.lost, at: 10, delay: delay).machine.needs.rate == nil)
    }

    @Test("requested key frames stay key frames")
    func forced() throws {
        for call in 40...60 {
            let keys = try run(.once, at: call, delay: 1).packets.filter(\.isKey).map(\.pts)
            #expect(keys.contains(1000 + 49 * 40 + 49 % 3) && keys.contains(1000 + 99 * 40))
        }
    }

    @Test("the caller handles a failure before the first packet if it wants to")
    func start() throws {
        #expect(throws: SessionError.self) { _ = try run(.once, at: 1, delay: 0, recoversStart: false) }
        #expect(try run(.once, at: 2, delay: 0, recoversStart: false).packets.count == Self.count)
    }

    @Test("without another device, at most five sessions in a row are opened")
    func givesUp() throws {
        let machine = Machine(.lost, at: 30, delay: 0)
        let gpu = machine.candidate("gpu")
        let encoder = RecoveringEncoder(
            try gpu.open(CodecNeeds()), on: gpu, recoversStart: false, candidates: { _ in [gpu] })
        var sent = 0
        #expect {
            for index in 0..<Self.count {
                let frame = try Frame(size: PixelSize(16, 16), pixelFormat: .nv12)
                frame.pts = Int64(index)
                try encoder.send(frame, forcesKeyFrame: false)
                sent += 1
                while case .unit = try encoder.receive() {}
            }
        } throws: {
            ($0 as? SessionError)?.message == "the scripted device broke"
        }
        #expect(sent == 29)
        #expect(machine.state.withLock { $0.opened.count } == 1 + SessionRecovery.maxCreations)
    }
}
