import Glibc
import Testing
import VTX
import VTXMedia
import VTXTask
import VTXTranscode

@testable import VTXCommand

@Suite("What the supervisor decides")
struct SupervisionTests {
    private var state = Supervision(secondRun: .allowed, timeout: 30)

    private static let aborted = ProcessEnding.killed(signal: SIGABRT)

    private static func progress(_ phase: Progress.Phase, _ frames: Int) -> WorkerRecord {
        .progress(WorkerProgress(phase: phase, frames: frames, bytes: 1000, milliseconds: 40 * frames))
    }

    /// The records of a worker that transcodes with a GPU.
    private static func onGPU(_ frames: Int) -> [WorkerRecord] {
        [.planned(usesHardware: true, codec: .hevc), .writing(output: "out.mp4"), progress(.transcoding, frames)]
    }

    /// The answer to the ending, once the records are in.
    private mutating func end(
        after records: [WorkerRecord] = [], _ ending: ProcessEnding, isInPlace: Bool = false
    ) -> String {
        records.forEach { _ = state.handle(.record($0)) }
        return state.handle(.ended(ending, isInPlace: isInPlace)).words
    }

    private mutating func tick(_ seconds: Double, _ activity: ProcessActivity = .idle) -> String {
        state.handle(.tick(seconds: seconds, activity)).words
    }

    @Test(
        "a worker's exit code is the command's, once it has told the user",
        arguments: [ExitCode.success, .input, .hardware, .incompleteSource])
    mutating func exitCode(code: ExitCode) {
        #expect(end(after: [.ended(code)], .exited(code.rawValue)) == "exit \(code)")
    }

    @Test("a worker that a signal ended before it could say so leaves that to the supervisor")
    mutating func silentStop() {
        #expect(end(after: Self.onGPU(3), .exited(130)) == "failed interrupted cancelled.interrupted")
        _ = state.handle(.stop(.terminate))
        #expect(end(.exited(143)) == "failed terminated cancelled.terminated")
    }

    @Test("a full disk that standard output goes to decides the exit code")
    mutating func laterExitCode() {
        #expect(end(after: [.ended(.success)], .exited(8)) == "exit output")
    }

    @Test("a driver that crashes while the process ends changes nothing")
    mutating func crashAtExit() {
        #expect(end(after: [.ended(.success)], .killed(signal: SIGSEGV)) == "exit success")
    }

    @Test("a driver that crashes is followed by a second run, which is told why")
    mutating func crash() {
        let expected = "restart: the GPU's driver aborted (SIGABRT) after 113 frames"
        #expect(end(after: Self.onGPU(113), Self.aborted) == expected)
    }

    @Test("a driver that crashes while it is asked what it can do is, too")
    mutating func crashWhilePlanning() {
        #expect(
            end(.killed(signal: SIGSEGV))
                == "restart: the GPU's driver crashed (SIGSEGV) while vtx looked at it")
    }

    @Test("a driver that calls exit is a driver that failed", arguments: [0, 1, 255] as [Int32])
    mutating func exit(status: Int32) {
        let expected = "restart: the GPU's driver ended the process (exit code \(status)) after 1 frame"
        #expect(end(after: Self.onGPU(1), .exited(status)) == expected)
    }

    @Test("the second run's death is the end, whatever it dies of")
    mutating func secondDeath() {
        _ = end(after: Self.onGPU(1), Self.aborted)
        #expect(end(after: Self.onGPU(2), Self.aborted) == "failed internalError worker.crashed")
    }

    private static let nodes = ["/dev/dri/renderD128", "/dev/dri/renderD129"]

    private static func onGPU(_ node: String, _ frames: Int) -> [WorkerRecord] {
        nodes.map { .using(device: $0) } + [.using(device: node)] + onGPU(frames)
    }

    @Test("where it is known which GPU failed, the others go on; each may fail once")
    mutating func nextGPU() {
        #expect(end(after: Self.onGPU(Self.nodes[0], 3), Self.aborted).hasPrefix("restart"))
        #expect(state.faults.map(\.device) == [Self.nodes[0]] && !state.avoidsHardware)
        #expect(end(after: Self.onGPU(Self.nodes[1], 5), Self.aborted).hasPrefix("restart"))
        #expect(state.faults.map(\.device) == Self.nodes)
        #expect(end(after: Self.onGPU(Self.nodes[1], 5), Self.aborted) == "failed internalError worker.crashed")
    }

    @Test("a crash before any driver was called leaves all GPUs alone")
    mutating func unknownGPU() {
        _ = end(Self.aborted)
        #expect(state.avoidsHardware)
        _ = state.handle(.record(.using(device: Self.nodes[0])))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test(
        "a driver that crashes while it is asked takes no other GPU from who wants one",
        arguments: [Supervision.SecondRun.allowed, .forbidden, .fallback])
    mutating func askedOnly(secondRun: Supervision.SecondRun) {
        state = Supervision(secondRun: secondRun, timeout: 30)
        let words = end(after: Self.nodes.map { .using(device: $0) }, Self.aborted)
        #expect(words == "restart: the GPU's driver aborted (SIGABRT) while vtx looked at it")
        #expect(state.faults.map(\.device) == [Self.nodes[1]])
        #expect(end(after: [.ended(.success)], .exited(0)) == "exit success")
    }

    @Test("the next worker is told what is left alone, and why")
    mutating func variables() throws {
        _ = end(after: [.using(device: Self.nodes[1])], Self.aborted)
        var variables = WorkerLink.variables(after: state)
        #expect(Set(variables.keys) == [WorkerLink.devicesVariable], "nothing had begun")
        let asked = [DriverMemory.Fault](json: variables[WorkerLink.devicesVariable])
        #expect(asked.map(\.device) == [Self.nodes[1]])
        _ = end(after: Self.onGPU(Self.nodes[0], 7), Self.aborted)
        variables = WorkerLink.variables(after: state)
        #expect(variables[WorkerLink.faultVariable] == "the GPU's driver aborted (SIGABRT) after 7 frames")
        #expect(variables[WorkerLink.codecVariable] == "hevc")
        #expect([DriverMemory.Fault](json: variables[WorkerLink.devicesVariable]).count == 2)
        #expect([DriverMemory.Fault](json: "no JSON").isEmpty)
    }

    @Test("a worker that uses no GPU is not started again")
    mutating func softwareCrash() {
        #expect(
            end(after: [.planned(usesHardware: false, codec: .hevc)], Self.aborted)
                == "failed internalError worker.crashed")
    }

    @Test("a worker that is killed from outside is not started again")
    mutating func killedFromOutside() {
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGKILL)) == "failed internalError worker.killed")
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGTERM)) == "failed terminated cancelled.terminated")
    }

    @Test("with --hw require a fault is an error with the code for hardware")
    mutating func required() {
        state = Supervision(secondRun: .forbidden, timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed hardware hardware.fault")
    }

    @Test("with --fail-on-fallback it is one with a code of its own")
    mutating func fallback() {
        state = Supervision(secondRun: .fallback, timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed fallback fallback.fault")
    }

    @Test("a worker that dies when its output is in place has done its work, but for what it knew of the source")
    mutating func inPlace() {
        let records = Self.onGPU(5) + [Self.progress(.verifying, 75)]
        #expect(end(after: records, Self.aborted, isInPlace: true) == "completed incompleteSource out.mp4 75")
    }

    @Test("signals are passed on, the second one as such, and more than two are not")
    mutating func stops() {
        let answers = [StopSignal.interrupt, .terminate, .interrupt].map { state.handle(.stop($0)).words }
        #expect(answers == ["forward interrupt 1", "forward terminate 2", "wait"])
    }

    @Test("a worker that dies while it stops is not started again")
    mutating func deathWhileStopping() {
        _ = state.handle(.stop(.interrupt))
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed interrupted cancelled.interrupted")
    }

    @Test("a driver that does nothing for too long is killed, and is a fault")
    mutating func hang() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        #expect(tick(29) == "wait")
        #expect(tick(1) == "kill")
        #expect(
            end(.killed(signal: SIGKILL)) == "restart: the GPU's driver made no progress for 30.0 s after 7 frames")
    }

    @Test("a frame is a sign of life, the same number again is none")
    mutating func signsOfLife() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        #expect(tick(29) == "wait")
        _ = state.handle(.record(Self.progress(.transcoding, 8)))
        #expect(tick(29) == "wait")
        _ = state.handle(.record(Self.progress(.transcoding, 8)))
        #expect(tick(1) == "kill")
    }

    @Test("a driver may hang while it is asked what it can do")
    mutating func hangWhilePlanning() {
        #expect(tick(30) == "kill")
        #expect(
            end(.killed(signal: SIGKILL))
                == "restart: the GPU's driver made no progress for 30.0 s while vtx looked at it")
    }

    @Test("a worker that computes has ten times as long, and one that waits for a file for ever")
    mutating func activity() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        #expect(tick(1000, .waiting) == "wait")
        #expect(tick(299, .busy) == "wait")
        #expect(tick(1, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)).contains("made no progress for 1300.0 s"))
    }

    @Test("software is not watched, nor what comes after the last frame")
    mutating func unwatched() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        _ = state.handle(.record(Self.progress(.verifying, 75)))
        #expect(tick(1000) == "wait" && !state.isWatching)
        state = Supervision(secondRun: .allowed, timeout: 30)
        _ = state.handle(.record(.planned(usesHardware: false, codec: .hevc)))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test("there is no watch where the user turned it off")
    mutating func noPatienceLimit() {
        state = Supervision(secondRun: .allowed, timeout: nil)
        #expect(tick(1e6) == "wait")
    }

    @Test("a worker that hangs while it ends is ended")
    mutating func hangAtExit() {
        _ = state.handle(.record(.ended(.success)))
        #expect(tick(5, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "exit success")
    }

    @Test("after a signal a driver has five seconds, and software any time")
    mutating func driverThatHangsAfterStop() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        _ = state.handle(.stop(.terminate))
        #expect(tick(4.9) == "wait" && tick(0.1) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed terminated cancelled.terminated")
        state = Supervision(secondRun: .allowed, timeout: nil)
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        _ = state.handle(.stop(.terminate))
        #expect(tick(5) == "kill", "and where a driver may hang for ever")
    }

    @Test("a driver may hang while its codecs are closed")
    mutating func hangWhileFinishing() {
        Self.onGPU(75).forEach { _ = state.handle(.record($0)) }
        _ = state.handle(.record(Self.progress(.finishing, 75)))
        #expect(tick(30) == "kill")
    }

    @Test("after a second signal the worker has two seconds, driver or not")
    mutating func hangAfterStop() {
        _ = state.handle(.record(.planned(usesHardware: false, codec: .hevc)))
        _ = state.handle(.stop(.interrupt))
        #expect(tick(100) == "wait")
        _ = state.handle(.stop(.interrupt))
        #expect(tick(2, .waiting) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed interrupted cancelled.interrupted")
    }

    @Test("a worker that not even a kill ends is left")
    mutating func unkillable() {
        Self.onGPU(7).forEach { _ = state.handle(.record($0)) }
        #expect(tick(30) == "kill")
        #expect(tick(5) == "give up")
        #expect(end(.stuck).hasPrefix("restart: the GPU's driver made no progress"))
    }
}

extension Supervision.Action {
    /// What it is, in few words, to compare.
    fileprivate var words: String {
        switch self {
        case .wait: "wait"
        case .forward(let signal, let count): "forward \(signal) \(count)"
        case .kill: "kill"
        case .giveUpWaiting: "give up"
        case .restart(let fault): "restart: \(fault.description)"
        case .finish(.exit(let code)): "exit \(code)"
        case .finish(.failed(let error)): "failed \(error.exitCode) \(error.code)"
        case .finish(.completed(let result)): "completed \(result.outcome) \(result.output) \(result.frames)"
        }
    }
}
