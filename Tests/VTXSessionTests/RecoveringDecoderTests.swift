import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

@Suite("A decoder that continues when its device fails")
struct RecoveringDecoderTests {
    /// A picture in decoding order: GOPs of eight, whose first has two leading pictures.
    private struct Picture: Sendable {
        var pts: Int64
        var isRandomAccess = false
        var isLeading = false
    }

    private static let stream: [Picture] = (0..<15).flatMap { group -> [Picture] in
        let first = Int64(group * 8)
        let leading = group == 0 ? [] : [first - 2, first - 1].map { Picture(pts: $0, isLeading: true) }
        let others = (group == 14 ? [1, 2, 3, 4, 5, 6, 7] : [2, 1, 4, 3, 5]).map { Picture(pts: first + $0) }
        return [Picture(pts: first, isRandomAccess: true)] + leading + others
    }

    /// When the device fails.
    enum Fault: Sendable, CaseIterable {
        case once
        case lost
        /// Every time it gets the packet at which it failed.
        case always
    }

    private final class Machine: Sendable {
        let calls = Locked((sends: 0, opened: [String]()))
        let fault: Fault
        let call: Int
        let code: SessionError.Code

        init(_ fault: Fault, at call: Int, _ code: SessionError.Code) {
            (self.fault, self.call, self.code) = (fault, call, code)
        }

        func candidate(_ name: String) -> RecoveringDecoder.Candidate {
            let matrix = CapabilityMatrix(
                device: DeviceID(name), deviceName: name, isHardware: name != "software", selectors: [],
                decoding: .everything, filtering: .everything, encoders: [])
            return CodecCandidate(matrix) { [self] _ in
                calls.withLock { $0.opened.append(name) }
                return ScriptedDecoder(self, name)
            }
        }

        func noteSend(_ packet: Packet, _ name: String) throws(SessionError) {
            guard name != "software" else { return }
            let number = calls.withLock { calls in
                calls.sends += 1
                return calls.sends
            }
            let fails =
                switch fault {
                case .once: number == call
                case .lost: number >= call
                case .always: packet.bytes[0] == UInt8(RecoveringDecoderTests.stream[call - 1].pts)
                }
            if fails { throw SessionError(code, "the scripted device broke") }
        }
    }

    /// Outputs frames in presentation order, with a delay of two, and none without its references.
    private final class ScriptedDecoder: VideoDecoder, @unchecked Sendable {
        private let machine: Machine
        private let name: String
        private var held: [(place: Int, pts: Int64?, number: Int?)] = []
        private var count = 0
        private var skipsLeading = false
        private var isEnding = false

        init(_ machine: Machine, _ name: String) { (self.machine, self.name) = (machine, name) }

        func send(_ packet: Packet?) throws(SessionError) {
            guard let packet else { return isEnding = true }
            try machine.noteSend(packet, name)
            count += 1
            if packet.isKeyFrame { skipsLeading = count == 1 }
            let place = Int(packet.bytes[0])
            if !(packet.duration == 0 && skipsLeading) { held.append((place, packet.pts, packet.number)) }
        }

        func receive() throws(SessionError) -> CodecOutput<Frame> {
            guard held.count > 2 || isEnding, let next = held.indices.min(by: { held[$0].place < held[$1].place })
            else { return isEnding ? .endOfStream : .needsInput }
            do {
                let frame = try Frame(timeBase: Rational(1, 25))
                let (place, pts, number) = held.remove(at: next)
                // Without a time, the duration identifies the frame.
                (frame.pts, frame.packetNumber, frame.duration) = (pts, number, Int64(place))
                return .unit(frame)
            } catch { throw SessionError(error, while: "giving", else: .allocationFailed) }
        }

        func reset() {}
    }

    private struct Options {
        var recoversStart = false
        /// Of packets, in decoding order.
        var untimed = 0..<0
        var code = SessionError.Code.hardwareMalfunction
        var devices = ["gpu", "software"]
    }

    private func run(
        _ fault: Fault, at call: Int, _ options: Options = Options()
    ) throws -> (places: [Int64], devices: [String]) {
        let machine = Machine(fault, at: call, options.code)
        let candidates = options.devices.map(machine.candidate)
        let decoder = RecoveringDecoder(
            try candidates[0].open(CodecNeeds()), on: candidates[0], recoversStart: options.recoversStart,
            candidates: { _ in candidates })
        var places: [Int64] = []
        func take() throws {
            while case .unit(let frame) = try decoder.receive() {
                places.append(frame.duration)
                #expect(frame.packetNumber == -1 - Int(frame.duration), "a packet's own number is lost")
            }
        }
        for (index, picture) in Self.stream.enumerated() {
            let packet = try Packet(
                bytes: [UInt8(picture.pts)], pts: options.untimed.contains(index) ? nil : picture.pts, dts: nil,
                duration: picture.isLeading ? 0 : 1, timeBase: Rational(1, 25), isKeyFrame: picture.isRandomAccess)
            packet.number = -1 - Int(picture.pts)
            try decoder.send(packet)
            try take()
        }
        try decoder.send(nil)
        try take()
        return (places, machine.calls.withLock { $0.opened })
    }

    @Test("a fault at every packet loses and repeats no frame", arguments: Fault.allCases)
    func everyIndex(fault: Fault) throws {
        // Before the first output, the caller handles the failure.
        for call in 4...Self.stream.count {
            let outcome = try run(fault, at: call)
            #expect(outcome.places == Array(0..<120), "call \(call)")
            #expect(outcome.devices == (fault == .once ? ["gpu", "gpu"] : ["gpu", "gpu", "software"]))
        }
    }

    @Test("also without times, with few, and from the first packet on if the caller wants that")
    func untimed() throws {
        for call in 1...Self.stream.count {
            for untimed in [0..<0, 0..<Self.stream.count, call - 1..<call, 0..<call] {
                let outcome = try run(.once, at: call, Options(recoversStart: true, untimed: untimed))
                #expect(outcome.places == Array(0..<120), "call \(call), without times: \(untimed)")
            }
        }
    }

    @Test("a stream that devices fail to decode is tried once on each, twice on the first")
    func unsupported() throws {
        for count in 1...4 {
            let devices = (1...count).map { "gpu \($0)" } + ["software"]
            let outcome = try run(.lost, at: 60, Options(code: .unsupportedFormat, devices: devices))
            #expect(outcome.places == Array(0..<120) && outcome.devices == ["gpu 1"] + devices)
        }
    }

    @Test("the caller handles other errors, and those before the first frame")
    func errors() {
        for (call, code) in [(60, SessionError.Code.badData), (60, .allocationFailed), (1, .hardwareMalfunction)] {
            #expect(throws: SessionError.self) { _ = try run(.once, at: call, Options(code: code)) }
        }
    }
}

@Suite("The first packets for another decoder")
struct UnshownPacketsTests {
    @Test("from the random access point before the last one already output")
    func trims() {
        var unshown = UnshownPackets<Int>(byteLimit: 100)
        for index in 0..<14 { unshown.add(index, byteCount: 1, isRandomAccess: index % 4 == 0) }
        #expect(unshown.packets == Array(0..<14))
        for index in [0, 3, 4] { unshown.show(index, pts: Int64(index)) }
        #expect(unshown.packets == Array(0..<14) && unshown.isShown(4, pts: nil) && !unshown.isShown(5, pts: 5))
        unshown.show(8, pts: 8)
        #expect(unshown.packets == Array(4..<14))
        unshown.show(13, pts: 13)
        #expect(unshown.packets == Array(4..<14))
        unshown.show(12, pts: nil)
        #expect(unshown.packets == Array(8..<14) && unshown.isShown(nil, pts: 13))
    }

    @Test("none after a frame of an unknown packet, until the next random access point is output")
    func unknown() {
        var unshown = UnshownPackets<Int>(byteLimit: 100)
        for index in 0..<10 { unshown.add(index, byteCount: 1, isRandomAccess: index % 4 == 0) }
        unshown.show(nil, pts: 2)
        #expect(unshown.packets.isEmpty)
        for index in 10..<14 { unshown.add(index, byteCount: 1, isRandomAccess: index == 12) }
        #expect(unshown.packets.isEmpty)
        unshown.show(12, pts: 12)
        #expect(unshown.packets == [12, 13])
    }

    @Test("none before the first random access point, and none beyond the limit until the next one is output")
    func limits() {
        var unshown = UnshownPackets<Int>(byteLimit: 10)
        unshown.add(0, byteCount: 1, isRandomAccess: false)
        #expect(unshown.packets.isEmpty)
        for index in 1...3 { unshown.add(index, byteCount: 5, isRandomAccess: index == 1) }
        #expect(unshown.packets.isEmpty)
        unshown.add(4, byteCount: 5, isRandomAccess: true)
        // Frames before it may not be output yet, and could not be decoded from it.
        #expect(unshown.packets.isEmpty)
        unshown.show(4, pts: 4)
        #expect(unshown.packets == [4])
        unshown.add(5, byteCount: 4, isRandomAccess: true)
        unshown.show(5, pts: 5)
        #expect(unshown.packets == [4, 5])
        unshown.add(6, byteCount: 5, isRandomAccess: false)
        #expect(unshown.packets == [5, 6])
    }
}
