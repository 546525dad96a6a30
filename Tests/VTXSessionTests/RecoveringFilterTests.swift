import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

@Suite("A filter that continues when its device fails")
struct RecoveringFilterTests {
    private static let count = 120

    /// When the device fails.
    enum Fault: Sendable, CaseIterable {
        case once
        case lost
        /// When a frame is received.
        case receiving
    }

    private final class Machine: Sendable {
        let calls = Locked((sends: 0, receives: 0, opened: [String](), sentFrames: 0))
        let fault: Fault
        let call: Int
        let code: SessionError.Code
        /// Output frames for each input frame.
        let outputCount: Int

        init(_ fault: Fault, at call: Int, _ code: SessionError.Code, outputCount: Int) {
            (self.fault, self.call, self.code, self.outputCount) = (fault, call, code, outputCount)
        }

        func candidate(_ name: String, _ references: (before: Int, after: Int)) -> RecoveringFilter.Candidate {
            let matrix = CapabilityMatrix(
                device: DeviceID(name), deviceName: name, isHardware: name != "software", selectors: [],
                decoding: .everything, filtering: .everything, encoders: [])
            return CodecCandidate(matrix) { [self] _ in
                calls.withLock { $0.opened.append(name) }
                return ScriptedFilter(self, name, references)
            }
        }

        func noteSend(_ name: String) throws(SessionError) {
            let number = calls.withLock { calls in
                calls.sentFrames += 1
                calls.sends += name == "gpu" ? 1 : 0
                return calls.sends
            }
            guard name == "gpu" else { return }
            if fault == .once ? number == call : fault == .lost && number >= call { throw failure }
        }

        func noteReceive(_ name: String) throws(SessionError) {
            guard name == "gpu", fault == .receiving else { return }
            let number = calls.withLock { calls in
                calls.receives += 1
                return calls.receives
            }
            if number == call { throw failure }
        }

        private var failure: SessionError { SessionError(code, "the scripted device broke") }
    }

    /// Uses past and future frames; the output's duration is the number of past frames that it has seen.
    private final class ScriptedFilter: VideoFilter, @unchecked Sendable {
        private let machine: Machine
        private let name: String
        private let references: (before: Int, after: Int)
        private var waiting: [Frame] = []
        private var seenCount = 0
        /// The remaining output of one frame.
        private var rest: [Frame] = []
        private var isEnding = false

        init(_ machine: Machine, _ name: String, _ references: (before: Int, after: Int)) {
            (self.machine, self.name, self.references) = (machine, name, references)
        }

        func send(_ frame: Frame?) throws(SessionError) {
            guard let frame else { return isEnding = true }
            try machine.noteSend(name)
            waiting.append(frame)
        }

        func receive() throws(SessionError) -> CodecOutput<Frame> {
            guard !rest.isEmpty || waiting.count > references.after || isEnding && !waiting.isEmpty else {
                return isEnding ? .endOfStream : .needsInput
            }
            try machine.noteReceive(name)
            if !rest.isEmpty { return .unit(rest.removeFirst()) }
            let frame = waiting.removeFirst()
            frame.duration = Int64(min(seenCount, references.before))
            seenCount += 1
            rest = (1..<machine.outputCount).compactMap { _ in try? frame.reference() }
            return .unit(frame)
        }
    }

    private struct Outcome {
        var frames: [Frame]
        var devices: [String]
        var sentFrames: Int
        var replacements: Int
    }

    private func run(
        _ fault: Fault, at call: Int, references: (before: Int, after: Int) = (2, 1),
        _ code: SessionError.Code = .hardwareMalfunction, outputCount: Int = 1
    ) throws -> Outcome {
        let machine = Machine(fault, at: call, code, outputCount: outputCount)
        let candidates = ["gpu", "software"].map { machine.candidate($0, references) }
        let replacements = Locked(0)
        let filter = RecoveringFilter(
            try candidates[0].open(CodecNeeds()), on: candidates[0], keepsReferences: references != (0, 0),
            outputCount: outputCount,
            candidates: { _ in candidates }, onReplacement: { lost in replacements.withLock { $0 += lost.count } })
        var frames: [Frame] = []
        func take() throws { while case .unit(let frame) = try filter.receive() { frames.append(frame) } }
        for index in 0..<Self.count {
            let frame = try Frame(size: PixelSize(16, 16), pixelFormat: .nv12)
            frame.setTimes(pts: Int64(index), duration: 0, timeBase: Rational(1, 25))
            try filter.send(frame)
            try take()
        }
        try filter.send(nil)
        try take()
        return machine.calls.withLock {
            Outcome(
                frames: frames, devices: $0.opened, sentFrames: $0.sentFrames,
                replacements: replacements.withLock { $0 })
        }
    }

    @Test("a fault at every frame loses and repeats no frame", arguments: Fault.allCases)
    func everyIndex(fault: Fault) throws {
        // Before the first output, the caller handles the failure.
        for call in 3...Self.count {
            let outcome = try run(fault, at: call)
            #expect(outcome.frames.map(\.pts) == (0..<Int64(Self.count)).map { $0 }, "call \(call)")
            #expect(outcome.devices == (fault == .lost ? ["gpu", "gpu", "software"] : ["gpu", "gpu"]))
            #expect(outcome.replacements == outcome.devices.count - 1)
        }
    }

    @Test("a fault at every frame loses and repeats no frame with two outputs for each", arguments: Fault.allCases)
    func pairs(fault: Fault) throws {
        for call in 4...Self.count {
            let outcome = try run(fault, at: call, outputCount: 2)
            #expect(outcome.frames.map(\.pts) == (0..<2 * Int64(Self.count)).map { $0 / 2 }, "call \(call)")
        }
    }

    @Test("a deinterlacer gets only the past references again", arguments: Fault.allCases)
    func references(fault: Fault) throws {
        for call in 3...Self.count {
            let outcome = try run(fault, at: call)
            #expect(outcome.frames.map(\.duration) == (0..<Self.count).map { Int64(min($0, 2)) }, "call \(call)")
            // Two past frames, the one that failed, and the pending one.
            #expect(outcome.sentFrames <= Self.count + 4 * outcome.replacements)
        }
    }

    @Test("without references, only the failed frame is sent again")
    func alone() throws {
        for call in 2...Self.count {
            let outcome = try run(.once, at: call, references: (0, 0))
            #expect(outcome.frames.map(\.pts) == (0..<Int64(Self.count)).map { $0 })
            #expect(outcome.sentFrames == Self.count + 1)
        }
    }

    @Test("the caller handles other errors, and those before the first frame")
    func errors() {
        for (call, code) in [(60, SessionError.Code.unsupportedFormat), (60, .allocationFailed), (1, .invalidSession)] {
            #expect(throws: SessionError.self) { _ = try run(.once, at: call, code) }
        }
    }
}
