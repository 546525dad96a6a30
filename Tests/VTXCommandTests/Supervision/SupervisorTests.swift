import Glibc
import Testing
import VTX
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

@testable import VTXCommand

@Suite("The supervisor and real processes")
struct SupervisorTests {
    private let shell = ShellWorker()

    /// A first run that begins an output and then does as told; a second one that notes what it was told, and
    /// whether anything was left.
    private func script(_ deed: String) -> String {
        """
        if [ -z "$VTX_HARDWARE_FAULT" ]; then
            say planned gpu hevc; say "writing $D/out.mp4"
            echo half > "$D/.out.mp4.vtx-partial"
            say progress transcoding 113 1000 4520
            \(deed)
        fi
        echo "$VTX_HARDWARE_FAULT" > "$D/told"
        echo "$VTX_PLANNED_CODEC" > "$D/codec"
        [ -e "$D/.out.mp4.vtx-partial" ] || echo yes > "$D/clean"
        say ended 11
        exit 11
        """
    }

    private func run(_ supervisor: Supervisor, stops: [StopSignal] = []) throws -> Supervision.Verdict {
        let pipe = try StopPipe()
        stops.forEach(pipe.send)
        return try supervisor.run(try #require(try supervisor.begin()), pipe)
    }

    @Test(
        "a worker that crashes is followed by another, which finds nothing of it",
        arguments: [
            ("kill -ABRT $$", "aborted (SIGABRT)"), ("kill -SEGV $$", "crashed (SIGSEGV)"),
            ("exit 3", "ended the process (exit code 3)"),
        ])
    func crash(deed: String, words: String) throws {
        let verdict = try run(shell.supervisor(script(deed)))
        guard case .exit(.incompleteSource) = verdict else { return #expect(Bool(false), "\(verdict)") }
        #expect(shell.text(of: "told") == "the GPU's driver \(words) after 113 frames")
        #expect(shell.text(of: "codec") == "hevc", "the output stays what it was to be")
        #expect(shell.exists("clean"))
    }

    @Test(
        "what a GPU did is remembered once, also where nothing follows",
        arguments: [Supervision.SecondRun.allowed, .forbidden])
    func remembered(secondRun: Supervision.SecondRun) throws {
        let heard = Locked<[String]>([])
        let deed = "say using /dev/dri/renderD7; " + script("kill -ABRT $$")
        var supervisor = shell.supervisor(deed, secondRun: secondRun)
        supervisor.remember = { fault in heard.withLock { $0.append(fault.device) } }
        _ = try run(supervisor)
        #expect(heard.withLock(\.self) == ["/dev/dri/renderD7"])
    }

    @Test("a worker that does nothing is killed and followed by another")
    func hang() throws {
        let verdict = try run(shell.supervisor(script("exec sleep 1000"), timeout: 0.2))
        guard case .exit(.incompleteSource) = verdict else { return #expect(Bool(false), "\(verdict)") }
        let told = try #require(shell.text(of: "told"))
        #expect(told.hasPrefix("the GPU's driver made no progress for ") && told.hasSuffix(" s after 113 frames"))
        #expect(shell.exists("clean"))
    }

    @Test("nothing is left where hardware was required, and the error says what happened")
    func required() throws {
        let verdict = try run(shell.supervisor(script("kill -BUS $$"), secondRun: .forbidden))
        guard case .failed(let error) = verdict else { return #expect(Bool(false), "\(verdict)") }
        #expect(error.exitCode == .hardware && error.message.contains("crashed (SIGBUS) after 113 frames"))
        #expect(!shell.exists(".out.mp4.vtx-partial") && !shell.exists("told"))
    }

    @Test("the second death is an error")
    func secondDeath() throws {
        let verdict = try run(shell.supervisor("say planned gpu hevc; kill -ABRT $$"))
        guard case .failed(let error) = verdict else { return #expect(Bool(false), "\(verdict)") }
        #expect(error.exitCode == .internalError && error.code == "worker.crashed")
    }

    @Test("another vtx's unfinished file for the same output is left alone")
    func busyOutput() throws {
        let partial = shell.path(".out.mp4.vtx-partial")
        let descriptor = open(partial, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        _ = try run(shell.supervisor(script("kill -ABRT $$"), secondRun: .forbidden))
        #expect(shell.exists(".out.mp4.vtx-partial"))
    }

    @Test("a signal reaches the worker, and no other one follows it")
    func stop() throws {
        let verdict = try run(shell.supervisor("exec sleep 1000"), stops: [.terminate])
        guard case .failed(let error) = verdict else { return #expect(Bool(false), "\(verdict)") }
        #expect(error.exitCode == .terminated)
    }

    @Test("a worker that ends by itself after a signal says how")
    func orderlyStop() throws {
        let verdict = try run(
            shell.supervisor("trap '' INT; kill -INT $$; say ended 130; exit 130"), stops: [])
        guard case .exit(.interrupted) = verdict else { return #expect(Bool(false), "\(verdict)") }
    }

    @Test("a program that cannot be started is an error")
    func noProgram() throws {
        let launch = WorkerLaunch(executable: shell.path("none"), arguments: ["none"])
        let supervisor = Supervisor(launch: launch, secondRun: .allowed, timeout: nil)
        #expect(throws: SystemError("posix_spawn \(shell.path("none"))", ENOENT)) { try run(supervisor) }
    }
}
