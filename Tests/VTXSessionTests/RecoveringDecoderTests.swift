import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

@Suite("A decoder that goes on where its device fails")
struct RecoveringDecoderTests {
    /// A picture in decoding order: groups of eight, whose first one has two leading pictures.
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

        func noteSend(_ name: String) throws(SessionError) {
            guard name == "gpu" else { return }
            let number = calls.withLock { calls in
                calls.sends += 1
                return calls.sends
            }
            if fault == .once ? number == call : number >= call {
                throw SessionError(code, "the scripted device broke")
            }
        }
    }

    /// Gives frames in the order in which they are shown, two pictures late, and none that lacks a reference.
    private final class ScriptedDecoder: VideoDecoder, @unchecked Sendable {
        private let machine: Machine
        private let name: String
        private var held: [Int64] = []
        private var count = 0
        private var skipsLeading = false
        private var isEnding = false

        init(_ machine: Machine, _ name: String) { (self.machine, self.name) = (machine, name) }

        func send(_ packet: Packet?) throws(SessionError) {
            guard let packet, let pts = packet.pts else { return isEnding = true }
            try machine.noteSend(name)
            count += 1
            if packet.isKeyFrame { skipsLeading = count == 1 }
            if !(packet.duration == 0 && skipsLeading) { held.append(pts) }
        }

        func receive() throws(SessionError) -> CodecOutput<Frame> {
            guard held.count > 2 || isEnding, let next = held.min() else {
                return isEnding ? .endOfStream : .needsInput
            }
            held.removeAll { $0 == next }
            do {
                let frame = try Frame(timeBase: Rational(1, 25))
                frame.pts = next
                return .unit(frame)
            } catch { throw SessionError(error, while: "giving", else: .allocationFailed) }
        }

        func reset() {}
    }

    private func run(
        _ fault: Fault, at call: Int, _ code: SessionError.Code = .hardwareMalfunction, hidesTimes: Bool = false
    ) throws -> (times: [Int64], devices: [String]) {
        let machine = Machine(fault, at: call, code)
        let candidates = ["gpu", "software"].map(machine.candidate)
        let decoder = RecoveringDecoder(
            try candidates[0].open(CodecNeeds()), on: candidates[0], candidates: { _ in candidates })
        var times: [Int64] = []
        func take() throws { while case .unit(let frame) = try decoder.receive() { times.append(frame.pts ?? -1) } }
        for (index, picture) in Self.stream.enumerated() {
            let packet = try Packet(
                bytes: [1], pts: hidesTimes && index == call - 2 ? nil : picture.pts, dts: nil,
                duration: picture.isLeading ? 0 : 1, timeBase: Rational(1, 25), isKeyFrame: picture.isRandomAccess)
            try decoder.send(packet)
            try take()
        }
        try decoder.send(nil)
        try take()
        return (times, machine.calls.withLock { $0.opened })
    }

    @Test("a fault at every packet costs no frame, and none comes twice", arguments: Fault.allCases)
    func everyIndex(fault: Fault) throws {
        // Before the first frame has come out, the failure is the caller's.
        for call in 4...Self.stream.count {
            let outcome = try run(fault, at: call)
            #expect(outcome.times == Array(0..<120), "call \(call)")
            #expect(outcome.devices == (fault == .once ? ["gpu", "gpu"] : ["gpu", "gpu", "software"]))
        }
    }

    @Test("a stream that the device turns out not to decode goes to the next one")
    func unsupported() throws {
        let outcome = try run(.lost, at: 60, .unsupportedFormat)
        #expect(outcome.times == Array(0..<120) && outcome.devices.last == "software")
    }

    @Test("other errors, and those before the first frame, are the caller's")
    func errors() {
        for (call, code) in [(60, SessionError.Code.badData), (60, .allocationFailed), (1, .hardwareMalfunction)] {
            #expect(throws: SessionError.self) { _ = try run(.once, at: call, code) }
        }
    }

    @Test("where a packet has no time, nothing can be told apart before the next random access point")
    func untimed() {
        #expect(throws: SessionError.self) { _ = try run(.once, at: 50, hidesTimes: true) }
    }
}

@Suite("What another decoder begins with")
struct UnshownPacketsTests {
    @Test("the last random access point whose frame has been shown, and what follows")
    func trims() {
        var unshown = UnshownPackets<Int>(byteLimit: 100)
        for index in 0..<10 { unshown.add(index, pts: Int64(index), byteCount: 1, isRandomAccess: index % 4 == 0) }
        #expect(unshown.packets == Array(0..<10))
        unshown.show(pts: 3) { _ in 1 }
        #expect(unshown.packets == Array(0..<10))
        unshown.show(pts: 4) { _ in 1 }
        #expect(unshown.packets == Array(4..<10) && unshown.isShown(pts: 4) && !unshown.isShown(pts: 5))
        unshown.show(pts: 9) { _ in 1 }
        #expect(unshown.packets == [8, 9])
    }

    @Test("nothing before the first random access point, and nothing beyond the limit before the next one")
    func limits() {
        var unshown = UnshownPackets<Int>(byteLimit: 10)
        unshown.add(0, pts: 0, byteCount: 1, isRandomAccess: false)
        #expect(unshown.packets.isEmpty)
        for index in 1...3 { unshown.add(index, pts: Int64(index), byteCount: 5, isRandomAccess: index == 1) }
        #expect(unshown.packets.isEmpty)
        unshown.add(4, pts: 4, byteCount: 5, isRandomAccess: true)
        #expect(unshown.packets == [4])
    }
}
