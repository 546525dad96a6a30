import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("The supervisor's decisions")
struct SupervisionTests: SupervisionSuite {
    var state = Supervision(.init(mayUseHardware: true), timeout: 30)

    @Test("a worker's last event is the task's end, however the process ends")
    mutating func lastEvent() {
        #expect(end(after: [Self.failed(.inputOpen)], .exited(0)) == "failed input.open")
        #expect(end(after: [.done], .exited(3)) == "done")
    }

    @Test("a driver that crashes while the process ends changes nothing")
    mutating func crashAtExit() {
        #expect(end(after: [.done], .killed(signal: SIGSEGV)) == "done")
    }

    @Test("after a driver crash a second run starts, with the reason")
    mutating func crash() {
        let expected = "restart: the GPU's driver aborted (SIGABRT) after 113 frames"
        #expect(end(after: Self.onGPU(113), Self.aborted) == expected)
    }

    @Test("a second run starts after a driver crash during a query")
    mutating func crashWhilePlanning() {
        #expect(
            end(.killed(signal: SIGSEGV))
                == "restart: the GPU's driver crashed (SIGSEGV) while vtx probed it")
    }

    @Test("a driver that calls exit counts as failed", arguments: [0, 1, 255] as [Int32])
    mutating func exit(status: Int32) {
        let expected = "restart: the GPU's driver ended the process (exit code \(status)) after 1 frame"
        #expect(end(after: Self.onGPU(1), .exited(status)) == expected)
    }

    @Test("the second run's death is final, for any cause")
    mutating func secondDeath() {
        _ = end(after: Self.onGPU(1), Self.aborted)
        #expect(end(after: Self.onGPU(2), Self.aborted) == "failed worker.crashed")
    }

    private static let nodes = [DeviceID("/dev/dri/renderD128"), DeviceID("/dev/dri/renderD129")]

    private static func onGPU(_ node: DeviceID, _ frames: Int, _ stage: VideoStage? = nil) -> [WorkerEvent] {
        nodes.map { .using(DriverUse($0)) } + [.using(DriverUse(node, stage))] + onGPU(frames)
    }

    /// What the job avoids after a driver has ended these workers.
    private mutating func lost(_ workers: [(node: Int, frames: Int, stage: VideoStage?)]) -> [String] {
        workers.map { worker in
            let events = Self.onGPU(Self.nodes[worker.node], worker.frames, worker.stage)
            guard end(after: events, Self.aborted).hasPrefix("restart"), let last = state.driverFailures.last else {
                return "failed"
            }
            return last.isRetried ? "nothing" : last.stage?.rawValue ?? "GPU"
        }
    }

    @Test("a known failed GPU is retried once; then the others continue")
    mutating func nextGPU() {
        #expect(lost([(0, 3, nil), (0, 5, nil)]) == ["nothing", "GPU"])
        #expect(!state.driverFailures.excludeAll && state.driverFailures.retried == nil)
        #expect(lost([(1, 5, nil)]) == ["nothing"] && state.driverFailures.retried == Self.nodes[1])
        #expect(lost([(1, 7, nil), (1, 7, nil)]) == ["GPU", "failed"])
    }

    @Test("a GPU that fails again loses the stage at which it failed")
    mutating func nextStage() {
        #expect(lost([(0, 3, .encode), (0, 3, .encode)]) == ["nothing", "encode"])
        #expect(lost([(0, 9, .decode), (0, 9, nil), (0, 9, .filter)]) == ["decode", "GPU", "failed"])
    }

    @Test("a GPU that hangs loses the sampled stage; one that crashes without a note loses all stages")
    mutating func sampledStage() {
        let events = Self.onGPU(Self.nodes[0], 3) + [.using(DriverUse(Self.nodes[0], .decode, isSampled: true))]
        _ = end(after: events, Self.aborted)
        var hangs = self
        events.forEach { _ = hangs.state.handle(.report($0)) }
        #expect(hangs.tick(1000) == "kill")
        #expect(hangs.end(.killed(signal: SIGKILL)).hasPrefix("restart"))
        #expect(hangs.state.driverFailures.last?.stage == .decode)
        #expect(end(after: events, Self.aborted).hasPrefix("restart"))
        let crash = state.driverFailures.last
        #expect(crash?.stage == nil && crash?.excludesDevice == true && crash?.device == Self.nodes[0])
    }

    @Test("a GPU with new progress is retried again; frames encoded twice are no progress")
    mutating func proven() {
        #expect(lost([(0, 100, .encode), (0, 120, .encode), (0, 139, .encode)]) == ["nothing", "nothing", "encode"])
    }

    @Test("a GPU's workers in one job are limited like sessions in a row")
    mutating func sessions() {
        let frames = (1...DeviceLosses.maxSessions).map { (0, $0 * 100, VideoStage?.some(.encode)) }
        #expect(lost(frames) == ["nothing", "nothing", "nothing", "nothing", "GPU"])
    }

    @Test(
        "another worker on the same GPU is no fallback",
        arguments: [Supervision.Policy.SecondRun.forbidden, .fallback])
    mutating func sameGPU(secondRun: Supervision.Policy.SecondRun) {
        state = Supervision(.init(mayUseHardware: true, secondRun: secondRun), timeout: 30)
        #expect(lost([(0, 3, .encode), (0, 3, .encode)]) == ["nothing", "failed"])
    }

    @Test("a crash before any driver call blames no GPU")
    mutating func unknownGPU() {
        _ = end(Self.aborted)
        #expect(state.driverFailures.excludeAll)
        _ = state.handle(.report(.using(DriverUse(Self.nodes[0]))))
        #expect(tick(1000) == "wait" && !state.isWatching)
    }

    @Test(
        "a driver crash during a query removes no other GPU from the job",
        arguments: [Supervision.Policy.SecondRun.allowed, .forbidden, .fallback])
    mutating func askedOnly(secondRun: Supervision.Policy.SecondRun) {
        state = Supervision(.init(mayUseHardware: true, secondRun: secondRun), timeout: 30)
        let words = end(after: Self.nodes.map { .using(DriverUse($0)) }, Self.aborted)
        #expect(words == "restart: the driver of /dev/dri/renderD129 aborted (SIGABRT) while vtx probed it")
        #expect(state.driverFailures.map(\.device) == [Self.nodes[1]])
        #expect(end(after: [.done], .exited(0)) == "done")
    }

    @Test("the next worker gets the avoided GPUs, with the reasons")
    mutating func reported() throws {
        _ = end(after: [.using(DriverUse(Self.nodes[1]))], Self.aborted)
        #expect(state.driverFailures.reported == nil && state.driverFailures.codec == nil, "nothing had begun")
        _ = end(after: Self.onGPU(Self.nodes[0], 7), Self.aborted)
        #expect(
            state.driverFailures.reported?.description
                == "the driver of /dev/dri/renderD128 aborted (SIGABRT) after 7 frames")
        #expect(state.driverFailures.codec == .hevc && state.driverFailures.count == 2)
    }

    @Test("a retried GPU that does not respond is reported, another one is not")
    mutating func reportedWhileAsked() {
        _ = end(after: Self.onGPU(Self.nodes[0], 7), Self.aborted)
        _ = end(after: [.using(DriverUse(Self.nodes[1]))], Self.aborted)
        #expect(state.driverFailures.reported?.isRetried == true && state.driverFailures.retried == Self.nodes[0])
        _ = end(after: [.using(DriverUse(Self.nodes[0]))], Self.aborted)
        #expect(state.driverFailures.reported?.notice.kind == .fallbackFault && state.driverFailures.retried == nil)
    }

    @Test("a worker that dies during verification of a GPU's output counts as one with a GPU")
    mutating func crashWhileVerifying() {
        _ = end(after: Self.onGPU(Self.nodes[0], 7), Self.aborted)
        let events = Self.onGPU(Self.nodes[0], 9) + [Self.progress(.verifying, 9)]
        events.forEach { _ = state.handle(.report($0)) }
        guard case .finish(.failure(let error)) = state.handle(.ended(Self.aborted, finished: nil)) else {
            return #expect(Bool(false), "it ends")
        }
        #expect(error.message.contains("aborted (SIGABRT), after the driver of /dev/dri/renderD128 aborted"))
    }

    @Test("a worker without a GPU is not restarted")
    mutating func softwareCrash() {
        #expect(
            end(after: [Self.planned(usesHardware: false)], Self.aborted)
                == "failed worker.crashed")
    }

    @Test("a worker killed from outside is not restarted")
    mutating func killedFromOutside() {
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGKILL)) == "failed worker.killed")
        #expect(end(after: Self.onGPU(5), .killed(signal: SIGTERM)) == "failed worker.killed")
    }

    @Test("with --hw require a fault is a hardware error")
    mutating func required() {
        state = Supervision(.init(mayUseHardware: true, secondRun: .forbidden), timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed hardware.fault")
    }

    @Test("with --fail-on-fallback a fault has its own code")
    mutating func fallback() {
        state = Supervision(.init(mayUseHardware: true, secondRun: .fallback), timeout: 30)
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed fallback.fault")
    }

    @Test("a recording ended by a driver is not restarted", arguments: [true, false])
    mutating func recording(usesHardware: Bool) {
        state = Supervision(.init(mayUseHardware: true, secondRun: .impossible), timeout: 30)
        let description = CaptureDescription(
            device: "/dev/video0", outputs: ["out.mp4"], format: "YUYV", size: PixelSize(640, 480), frameRate: 30,
            codec: .h264, encoder: "a GPU", usesHardware: usesHardware)
        #expect(
            end(after: [.using(DriverUse(Self.nodes[0])), .capturing(description)], Self.aborted)
                == (usesHardware ? "failed hardware.fault" : "failed worker.crashed"))
    }

    @Test("the error of a worker killed during a recording names its length", arguments: [0.5, 12.3])
    mutating func recordingLength(seconds: Double) throws {
        state = Supervision(.init(mayUseHardware: false, secondRun: .impossible), timeout: 30)
        let progress = Progress(
            phase: .transcoding, frames: 1, totalFrames: nil, seconds: seconds, totalSeconds: nil, elapsedSeconds: 1,
            bytes: 1)
        _ = state.handle(.report(.transcode(.progress(progress))))
        guard case .finish(.failure(let error)) = state.handle(.ended(.killed(signal: SIGKILL), finished: nil))
        else {
            Issue.record("the task has not ended")
            return
        }
        #expect(error.kind == .workerKilled)
        let text = seconds < 1 ? "less than a second" : "can be played, and has about 12 s"
        #expect("\(error.message)".contains(text))
    }

    @Test("a job that has used a pipe is not restarted, but one that has not is")
    mutating func pipe() {
        #expect(end(after: [.using(DriverUse(Self.nodes[0]))], Self.aborted).hasPrefix("restart"))
        #expect(end(after: [.using(DriverUse(Self.nodes[1])), .pipe(.used)], Self.aborted) == "failed hardware.fault")
        #expect(state.driverFailures.map(\.device) == Self.nodes)
    }

    @Test("a worker that dies with its output in place has succeeded, without the source's notices")
    mutating func inPlace() {
        let records = Self.onGPU(5) + [Self.progress(.verifying, 75)]
        #expect(end(after: records, Self.aborted, finished: 1000) == "result incompleteSource out.mp4 75")
    }

    @Test("after a failed verification the GPU encodes again, and its driver may end the worker")
    mutating func secondAttempt() {
        let records = Self.onGPU(5) + [Self.progress(.verifying, 75), Self.planned(usesHardware: true)]
        #expect(end(after: records + [.using(DriverUse(Self.nodes[0]))], Self.aborted).hasPrefix("restart"))
    }

    @Test("the first request to stop is passed on, the second kills, and a third changes nothing")
    mutating func stops() {
        let answers = [Cancellation.Reason.interrupted, .terminated, .interrupted].map { state.handle(.stop($0)).words }
        #expect(answers == ["cancel interrupted", "kill", "wait"])
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.interrupted")
    }

    @Test("without cleanup the first request kills")
    mutating func stopsAtOnce() {
        state = Supervision(.init(mayUseHardware: true, endsAtFirstStop: true), timeout: 30)
        #expect(state.handle(.stop(.terminated)).words == "kill")
        #expect(end(.killed(signal: SIGKILL)) == "failed cancelled.terminated")
    }

    @Test("a task without a GPU has no driver to blame or watch")
    mutating func noHardware() {
        state = Supervision(.init(mayUseHardware: false), timeout: 30)
        #expect(tick(1000) == "wait" && !state.isWatching)
        #expect(end(after: [Self.planned(usesHardware: true)], Self.aborted) == "failed worker.crashed")
    }

    @Test("a worker that dies while stopping is not restarted")
    mutating func deathWhileStopping() {
        _ = state.handle(.stop(.interrupted))
        #expect(end(after: Self.onGPU(5), Self.aborted) == "failed cancelled.interrupted")
    }
}
