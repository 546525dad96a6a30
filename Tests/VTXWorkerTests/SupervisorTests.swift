import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("The supervisor and real processes")
struct SupervisorTests {
    private let shell = ShellScript()
    private let stops = TestStops()
    private let listener = TestListener()

    /// A first run that begins an output and then runs a script; a second one that records its order, and leftovers of
    /// the first.
    private func script(_ symptom: String) -> String {
        """
        case "$ORDER" in
        *'"driverFailures":[]'*)
            say "$PLAN"; say "$WRITING"
            echo half > "$D/.out.mp4.vtx-partial"
            say "$PROGRESS"
            \(symptom)
        esac
        echo "$ORDER" > "$D/told"
        [ -e "$D/.out.mp4.vtx-partial" ] || echo yes > "$D/clean"
        say "$DONE"
        """
    }

    private func line(_ event: WorkerEvent) -> String { String(JSONLine.text(event).dropLast()) }

    private func run(
        _ script: String, timeout: Double? = nil, secondRun: Supervision.Policy.SecondRun = .allowed
    ) throws -> Supervision.Outcome {
        let progress = Progress(
            phase: .transcoding, frames: 113, totalFrames: nil, seconds: 4.52, totalSeconds: nil, elapsedSeconds: 1,
            bytes: 1000)
        let output = shell.path("out.mp4")
        let environment = [
            "PLAN": line(.transcode(.planned(.example(output: output)))), "WRITING": line(.writing(output)),
            "PROGRESS": line(.transcode(.progress(progress))), "DONE": line(.done),
            "USING": line(.using(DriverUse(DeviceID("/dev/dri/renderD7")))),
        ]
        let launch = shell.launch(script, environment: environment, readsOrder: true)
        let supervisor = Supervisor(
            launch, .init(mayUseHardware: true, secondRun: secondRun), timeout: timeout)
        var stops = stops
        return try supervisor.run(WorkerOrder(.transcode(TranscodeRequest(input: "in.mkv"))), &stops, listener)
    }

    private func failure(_ outcome: Supervision.Outcome) throws -> TranscodeError {
        guard case .failure(let error) = outcome else { throw TranscodeError(.internal, "\(outcome)") }
        return error
    }

    @Test(
        "another worker replaces one that crashes, without its leftovers",
        arguments: [
            ("kill -ABRT $$", "aborted (SIGABRT)"), ("kill -SEGV $$", "crashed (SIGSEGV)"),
            ("exit 3", "ended the process (exit code 3)"),
        ])
    func crash(symptom: String, words: String) throws {
        #expect(try run(script(symptom)) == .success(.done))
        let order = try JSONLine.value(WorkerOrder.self, from: try #require(shell.text(of: "told")))
        #expect(order.driverFailures.reported?.description == "the GPU's driver \(words) after 113 frames")
        #expect(order.driverFailures.codec == .hevc, "the output stays what it was to be")
        #expect(order.driverFailures.excludeAll, "it is not known which GPU that was")
        #expect(shell.exists("clean"))
        #expect(listener.failures.map(\.continues) == [true])
    }

    @Test(
        "a GPU failure is reported once, even without another run",
        arguments: [Supervision.Policy.SecondRun.allowed, .impossible])
    func reported(secondRun: Supervision.Policy.SecondRun) throws {
        _ = try run("say \"$USING\"; " + script("kill -ABRT $$"), secondRun: secondRun)
        #expect(listener.failures.map(\.failure.device) == [DeviceID("/dev/dri/renderD7")])
        #expect(
            listener.failures.map(\.failure.description) == [
                "the driver of /dev/dri/renderD7 aborted (SIGABRT) after 113 frames"
            ])
        #expect(listener.failures.map(\.continues) == [secondRun == .allowed])
    }

    @Test("a worker that hangs is killed and replaced")
    func hang() throws {
        #expect(try run(script("exec sleep 1000"), timeout: 0.2) == .success(.done))
        let reported = try #require(listener.failures.first?.failure.description)
        #expect(
            reported.hasPrefix("the GPU's driver made no progress for ") && reported.hasSuffix(" s after 113 frames"))
        #expect(shell.exists("clean"))
    }

    @Test("with required hardware nothing is left, and the error has the reason")
    func required() throws {
        let error = try failure(try run(script("kill -BUS $$"), secondRun: .forbidden))
        #expect(error.kind == .hardwareFault && error.message.contains("crashed (SIGBUS) after 113 frames"))
        #expect(!shell.exists(".out.mp4.vtx-partial") && !shell.exists("told"))
    }

    @Test("the second death is an error")
    func secondDeath() throws {
        #expect(try failure(try run("say \"$PLAN\"; kill -ABRT $$")).kind == .workerCrashed)
    }

    @Test("another vtx's partial file for the same output is kept")
    func busyOutput() throws {
        let file = try FileDescriptor(opening: shell.path(".out.mp4.vtx-partial"), O_RDWR | O_CREAT)
        let isLocked = file.lock()
        #expect(isLocked)
        _ = try run(script("kill -ABRT $$"), secondRun: .forbidden)
        #expect(shell.exists(".out.mp4.vtx-partial"))
    }

    @Test("a request to stop reaches the worker through its pipe, and its result is used")
    func stop() throws {
        stops.send(.terminated)
        let script = """
            read -r COMMAND < /proc/self/fd/$1
            echo "$COMMAND" > "$D/told"
            say "$DONE"
            """
        #expect(try run(script) == .success(.done))
        #expect(shell.text(of: "told") == "{\"cancel\":\"terminated\"}" && listener.hasStopped)
    }

    @Test("the second request kills")
    func kill() throws {
        stops.send(.interrupted)
        stops.send(.terminated)
        #expect(try failure(try run("exec sleep 1000")).kind == .interrupted)
    }

    @Test("when a worker's owner ends, the worker's input pipe closes")
    func noOwner() throws {
        let launch = shell.launch(
            "while read -r LINE; do :; done < /proc/self/fd/$1; echo end > \"$D/end\"", readsOrder: true)
        var process = try WorkerProcess(launch, WorkerOrder(.versions))
        let number = process.identifier
        process.closeOrders()
        while process.reap() == nil { Poll.wait(for: [], seconds: 0.01) }
        #expect(shell.text(of: "end") == "end" && number > 0)
    }

    @Test("a listener that stops ends the worker")
    func unwanted() throws {
        listener.isEager = false
        #expect(try run("say \"$PLAN\"; exec sleep 1000") == .success(.done))
    }

    @Test("a driver's output between events is skipped")
    func noise() throws {
        #expect(try run("say 'i965: GPU hang'; say '{\"type\":\"x\"}'; say \"$DONE\"") == .success(.done))
    }

    @Test("a program that cannot be started is an error")
    func noProgram() throws {
        let launch = Launch(executable: shell.path("none"), arguments: ["none"])
        let supervisor = Supervisor(launch, .init(mayUseHardware: true), timeout: nil)
        var stops = stops
        #expect(throws: SystemError("posix_spawn \(shell.path("none"))", ENOENT)) {
            try supervisor.run(WorkerOrder(.versions), &stops, listener)
        }
    }
}

/// Requests to stop from a test.
struct TestStops: StopRequests, Sendable {
    private let ends: (reading: Int32, writing: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        self.ends = (ends[0], ends[1])
    }

    var number: Int32 { ends.reading }

    func send(_ reason: Cancellation.Reason) {
        var byte: UInt8 = reason == .interrupted ? 1 : 2
        _ = write(ends.writing, &byte, 1)
    }

    func receive() -> [Cancellation.Reason] {
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = read(ends.reading, &bytes, 8)
        return bytes.prefix(max(0, count)).map { $0 == 1 ? .interrupted : .terminated }
    }
}

final class TestListener: WorkerListener {
    var isEager = true
    private(set) var events: [WorkerEvent] = []
    private(set) var failures: [(failure: DriverFailure, continues: Bool)] = []
    private(set) var hasStopped = false

    func report(_ event: WorkerEvent) -> Bool {
        events.append(event)
        return isEager
    }

    func stopping() { hasStopped = true }
    func failed(_ failure: DriverFailure, continues: Bool) { failures.append((failure, continues)) }
}
