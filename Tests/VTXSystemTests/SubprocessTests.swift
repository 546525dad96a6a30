import Glibc
import Testing
import VTXTestValues

@testable import VTXSystem

@Suite("Child processes")
struct SubprocessTests {
    private let shell = ShellScript()

    /// A script's output and exit status.
    private func run(_ script: String, _ change: (inout Launch) -> Void = { _ in }) throws -> (String?, ProcessEnding) {
        var launch = shell.launch("exec > \"$D/output\"; " + script)
        change(&launch)
        var process = try Subprocess(launch)
        let ending = process.wait()
        return (shell.text(of: "output"), ending)
    }

    @Test("a child's end is its exit code or its signal")
    func endings() throws {
        #expect(try run("exit 7").1 == .exited(7))
        #expect(try run("kill -SEGV $$").1 == .killed(signal: SIGSEGV))
    }

    @Test("a program that cannot be started is an error")
    func noProgram() throws {
        let launch = Launch(executable: shell.path("none"), arguments: ["none"])
        #expect(throws: SystemError("posix_spawn \(shell.path("none"))", ENOENT)) {
            var process = try Subprocess(launch)
            _ = process.wait()
        }
    }

    @Test("the environment is this process's with additions")
    func environment() throws {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        #expect(try run("echo \"$D $PATH\"").0 == "\(shell.directory) \(path)")
    }

    @Test("a child that runs alone inherits no descriptors")
    func noDescriptors() throws {
        // As libraries open them, which know nothing of other programs.
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        let launch = shell.launch("ls -l /proc/self/fd | grep -c socket; exit 3")
        let output = shell.path("alone")
        let child = try launch.startAlone(output: output)
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect(shell.text(of: "alone") == "0")
    }

    @Test("a child blocks only the given signals")
    func signalMask() throws {
        let script = "grep SigBlk /proc/self/status"
        #expect(try run(script).0 == "SigBlk:\t0000000000000000")
        let blocking = try run(script) {
            // dash unblocks all signals.
            $0.executable = "/bin/bash"
            $0.blockedSignals = [SIGHUP, SIGINT]
        }
        #expect(blocking.0 == "SigBlk:\t0000000000000003")
    }

    @Test("a child has only the given descriptors, with the same numbers")
    func descriptors() throws {
        let pipe = try Pipe()
        let number = pipe.writing.number
        let script = "[ -e /proc/self/fd/\(number) ]"
        #expect(try run(script).1 == .exited(1))
        var process = try Subprocess(shell.launch(script), keeping: [number])
        #expect(process.wait() == .exited(0))
    }

    @Test("a stopped child waits, and so does one that reads a silent file")
    func waiting() throws {
        #expect(try activity(of: "kill -STOP $$", until: .waiting))
        try #require(mkfifo(shell.path("fifo"), 0o600) == 0)
        let fifo = open(shell.path("fifo"), O_RDWR | O_CLOEXEC)
        defer { close(fifo) }
        #expect(try activity(of: "exec cat \"$D/fifo\"", until: .waiting))
    }

    @Test("a child that computes is busy, one that sleeps is idle")
    func busy() throws {
        #expect(try activity(of: "while :; do :; done", until: .busy))
        #expect(try activity(of: "exec sleep 1000", until: .idle))
    }

    /// Whether the child eventually reaches the state.
    private func activity(of script: String, until wanted: ProcessActivity) throws -> Bool {
        var worker = try Subprocess(shell.launch(script))
        defer {
            worker.kill()
            _ = worker.wait()
        }
        var meter = ProcessActivityMeter(worker.identifier)
        var stopwatch = Stopwatch(longestStep: 60)
        for _ in 0..<1000 {
            Poll.wait(for: [], seconds: 0.02)
            if meter.measure(seconds: stopwatch.lap()) == wanted { return true }
        }
        return false
    }
}
