import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("What the supervisor decides")
struct SupervisionTests {
    private var state = Supervision(.init(mayUseHardware: true), timeout: 30)

    private static let aborted = ProcessEnding.killed(signal: SIGABRT)

    private static func progress(_ phase: Progress.Phase, _ frames: Int) -> WorkerEvent {
        .transcode(
            .progress(
                Progress(
                    phase: phase, frames: frames, totalFrames: nil, seconds: Double(frames) / 25, totalSeconds: nil,
                    elapsedSeconds: 1, bytes: 1000)))
    }

    private static func planned(usesHardware: Bool) -> WorkerEvent {
        .transcode(.planned(.example(usesHardware: usesHardware)))
    }

    private static func failed(_ kind: ErrorKind) -> WorkerEvent { .failed(TranscodeError(kind, "words")) }

    /// The events of a worker that transcodes with a GPU.
    private static func onGPU(_ frames: Int) -> [WorkerEvent] {
        [planned(usesHardware: true), .writing("out.mp4"), progress(.transcoding, frames)]
    }

    /// The answer to the ending, once the events are in.
    private mutating func end(
        after events: [WorkerEvent] = [], _ ending: ProcessEnding, isInPlace: Bool = false
    ) -> String {
        events.forEach { _ = state.handle(.report($0)) }
        return state.handle(.ended(ending, isInPlace: isInPlace)).words
    }

    private mutating func tick(_ seconds: Double, _ activity: ProcessActivity = .idle) -> String {
        state.handle(.tick(seconds: seconds, activity)).words
    }

    @Test("a worker's last event is the task's end, however the process ends")
    mutating func lastEvent() {
        #expect(end(after: [Self.failed(.inputOpen)], .exited(0)) == "failed input.open")
        #expect(end(after: [.done], .exited(3)) == "done")
    }

    @Test("a driver that crashes while the process ends changes nothing")
    mutating func crashAtExit() {
        #expect(end(after: [.done], .killed(signal: SIGSEGV)) == "done")
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
        #expect(end(after: Self.onGPU(2), Self.aborted) == "failed worker.crashed")
    }

    private static let nodes = [DeviceID("/dev/dri/renderD128"), DeviceID("/dev/dri/renderD129")]

    private static func onGPU(_ node: DeviceID, _ frames: Int) -> [WorkerEvent] {
        nodes.map { .using($0) } + [.using(node)] + onGPU(frames)
    }

    @Test("where it is known which GPU failed, the others go on; each may fail once")
    mutating func nextGPU() {
        #expect(end(after: Self.onGPU(Self.nodes[0], 3), Self.aborted).hasPrefix("restart"))
        #expect(state.faults.map(\.device) == [Self.nodes[0]] && !state.faults.excludeAll)
        #expect(end(after: Self.onGPU(Self.nodes[1], 5), Self.aborted).hasPrefix("restart"))
        #expect(state.faults.map(\.device) == Self.nodes)
        #expect(end(after: Self.onGPU(Self.nodes[1], 5), Self.aborted) == "failed worker.crashed")
    }

    @Test("a crash before any driver was called leaves all GPUs alone")
    mutating func unknownGPU() {
        _ = end(Self.aborted)
        #expect(state.faults.excludeAll)
        _ = state.handle(.report(.using(Self.nodes[0])))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test(
        "a driver that crashes while it is asked takes no other GPU from who wants one",
        arguments: [Supervision.Policy.SecondRun.allowed, .forbidden, .fallback])
    mutating func askedOnly(secondRun: Supervision.Policy.SecondRun) {
        state = Supervision(.init(mayUseHardware: true, secondRun: secondRun), timeout: 30)
        let words = end(after: Self.nodes.map { .using($0) }, Self.aborted)
        #expect(words == "restart: the driver of /dev/dri/renderD129 aborted (SIGABRT) while vtx looked at it")
        #expect(state.faults.map(\.device) == [Self.nodes[1]])
        #expect(end(after: [.done], .exited(0)) == "done")
    }

    @Test("the next worker is told what is left alone, and why")
    mutating func told() throws {
        _ = end(after: [.using(Self.nodes[1])], Self.aborted)
        #expect(state.faults.told == nil && state.faults.codec == nil, "nothing had begun")
        _ = end(after: Self.onGPU(Self.nodes[0], 7), Self.aborted)
        #expect(
            state.faults.told?.description == "the driver of /dev/dri/renderD128 aborted (SIGABRT) after 7 frames")
        #expect(state.faults.codec == .hevc && state.faults.count == 2)
    }

    @Test("a worker that uses no GPU is not started again")
    mutating func softwareCrash() {
        #expect(
            end(after: [Self.planned(usesHardware: false)], Self.aborted)
                == "failed worker.crashed")
    }

    @Test("a worker that is killed from outside is not started again")
    mutating func killedFromOutside() {
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGKILL)) == "failed worker.killed")
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGTERM)) == "failed worker.killed")
    }

    @Test("with --hw require a fault is an error with the code for hardware")
    mutating func required() {
        state = Supervision(.init(mayUseHardware: true, secondRun: .forbidden), timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed hardware.fault")
    }

    @Test("with --fail-on-fallback it is one with a code of its own")
    mutating func fallback() {
        state = Supervision(.init(mayUseHardware: true, secondRun: .fallback), timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed fallback.fault")
    }

    @Test("a worker that dies when its output is in place has done its work, but for what it knew of the source")
    mutating func inPlace() {
        let records = Self.onGPU(5) + [Self.progress(.verifying, 75)]
        #expect(end(after: records, Self.aborted, isInPlace: true) == "result incompleteSource out.mp4 75")
    }

    @Test("the first request to stop is passed on, the second kills, and a third changes nothing")
    mutating func stops() {
        let answers = [Cancellation.Reason.interrupted, .terminated, .interrupted].map { state.handle(.stop($0)).words }
        #expect(answers == ["cancel interrupted", "kill", "wait"])
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.interrupted")
    }

    @Test("where nothing has to be put in order the first one kills")
    mutating func stopsAtOnce() {
        state = Supervision(.init(mayUseHardware: true, endsAtFirstStop: true), timeout: 30)
        #expect(state.handle(.stop(.terminated)).words == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.terminated")
    }

    @Test("a task that may use no GPU has no driver to blame or to watch")
    mutating func noHardware() {
        state = Supervision(.init(mayUseHardware: false), timeout: 30)
        #expect(tick(1000) == "wait" && !state.isWatching)
        #expect(end(after: [Self.planned(usesHardware: true)], Self.aborted) == "failed worker.crashed")
    }

    @Test("a worker that dies while it stops is not started again")
    mutating func deathWhileStopping() {
        _ = state.handle(.stop(.interrupted))
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed cancelled.interrupted")
    }

    @Test("a driver that does nothing for too long is killed, and is a fault")
    mutating func hang() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(29) == "wait")
        #expect(tick(1) == "kill")
        #expect(
            end(.killed(signal: SIGKILL)) == "restart: the GPU's driver made no progress for 30.0 s after 7 frames")
    }

    @Test("a frame is a sign of life, the same number again is none")
    mutating func signsOfLife() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(29) == "wait")
        _ = state.handle(.report(Self.progress(.transcoding, 8)))
        #expect(tick(29) == "wait")
        _ = state.handle(.report(Self.progress(.transcoding, 8)))
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
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        #expect(tick(1000, .waiting) == "wait")
        #expect(tick(299, .busy) == "wait")
        #expect(tick(1, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)).contains("made no progress for 1300.0 s"))
    }

    @Test("software is not watched, nor what comes after the last frame")
    mutating func unwatched() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.report(Self.progress(.verifying, 75)))
        #expect(tick(1000) == "wait" && !state.isWatching)
        state = Supervision(.init(mayUseHardware: true), timeout: 30)
        _ = state.handle(.report(Self.planned(usesHardware: false)))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test("there is no watch where the user turned it off")
    mutating func noPatienceLimit() {
        state = Supervision(.init(mayUseHardware: true), timeout: nil)
        #expect(tick(1e6) == "wait")
    }

    @Test("a worker that hangs while it ends is ended")
    mutating func hangAtExit() {
        _ = state.handle(.report(.done))
        #expect(tick(5, .busy) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "done")
    }

    @Test("after a signal a driver has five seconds, and software any time")
    mutating func driverThatHangsAfterStop() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.stop(.terminated))
        #expect(tick(4.9) == "wait" && tick(0.1) == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.terminated")
        state = Supervision(.init(mayUseHardware: true), timeout: nil)
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.stop(.terminated))
        #expect(tick(5) == "kill", "and where a driver may hang for ever")
    }

    @Test("a driver may hang while its codecs are closed")
    mutating func hangWhileFinishing() {
        Self.onGPU(75).forEach { _ = state.handle(.report($0)) }
        _ = state.handle(.report(Self.progress(.finishing, 75)))
        #expect(tick(30) == "kill")
    }

    @Test("a worker that a second request to stop does not kill is left after two seconds")
    mutating func hangAfterStop() {
        _ = state.handle(.report(Self.planned(usesHardware: false)))
        _ = state.handle(.stop(.interrupted))
        #expect(tick(100) == "wait")
        _ = state.handle(.stop(.interrupted))
        #expect(tick(2, .waiting) == "give up")
        #expect(end(.stuck) == "failed cancelled.interrupted")
    }

    @Test("a worker that not even a kill ends is left")
    mutating func unkillable() {
        Self.onGPU(7).forEach { _ = state.handle(.report($0)) }
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
        case .cancel(let reason): "cancel \(reason)"
        case .kill: "kill"
        case .giveUpWaiting: "give up"
        case .restart(let fault): "restart: \(fault.description)"
        case .finish(.failure(let error)): "failed \(error.code)"
        case .finish(.success(.result(let result))): "result \(result.outcome) \(result.output) \(result.frames)"
        case .finish(.success(let event)): "\(event)"
        }
    }
}
