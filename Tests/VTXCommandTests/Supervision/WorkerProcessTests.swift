import Glibc
import Testing

@testable import VTXCommand

@Suite("Child processes")
struct WorkerProcessTests {
    private let shell = ShellWorker()

    @Test("what a child reports arrives whole, and so does how it ended")
    func reports() throws {
        let (reports, outcome) = try WorkerProcess.run(
            shell.launch("i=0; while [ $i -lt 2000 ]; do say line $i of many; i=$((i+1)); done; exit 7"), seconds: 600)
        #expect(outcome == .ended(.exited(7)))
        let lines = String(decoding: reports, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2000 && lines.last == "line 1999 of many")
    }

    @Test("a crash is an answer, and what was said before it counts")
    func crash() throws {
        let (reports, outcome) = try WorkerProcess.run(shell.launch("say one; kill -SEGV $$"), seconds: 600)
        #expect(outcome == .ended(.killed(signal: SIGSEGV)))
        #expect(String(decoding: reports, as: UTF8.self) == "one\n")
    }

    @Test("a child that does not end is ended")
    func timeOut() throws {
        let (_, outcome) = try WorkerProcess.run(shell.launch("exec sleep 1000"), seconds: 0.05)
        #expect(outcome == .timedOut)
    }

    @Test("a child that closes its pipe and lives on is waited for")
    func closedPipe() throws {
        let (reports, outcome) = try WorkerProcess.run(
            shell.launch("exec bash -c 'eval \"exec $VTX_WORKER>&-\"; exit 4'"), seconds: 600)
        #expect(reports.isEmpty && outcome == .ended(.exited(4)))
    }

    @Test("a grandchild that keeps the pipe open delays nothing")
    func heldPipe() throws {
        let (_, outcome) = try WorkerProcess.run(
            shell.launch("sleep 1000 & echo $! > \"$D/pid\"; exit 5"), seconds: 600)
        #expect(outcome == .ended(.exited(5)))
        kill(try #require(shell.text(of: "pid").flatMap(pid_t.init)), SIGKILL)
    }

    @Test("the environment is this process's, with what was added")
    func environment() throws {
        let (reports, _) = try WorkerProcess.run(shell.launch("say \"$D $PATH\""), seconds: 600)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        #expect(String(decoding: reports, as: UTF8.self) == "\(shell.directory) \(path)\n")
    }

    @Test("a child blocks no signals, whatever its parent does")
    func signalMask() throws {
        let (reports, _) = try WorkerProcess.run(
            shell.launch("say $(grep SigBlk /proc/self/status)"), seconds: 600)
        #expect(String(decoding: reports, as: UTF8.self) == "SigBlk: 0000000000000000\n")
    }

    @Test("a stopped child waits, and so does one that reads a file that has nothing to say")
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

    /// Whether the child gets there some time.
    private func activity(of script: String, until wanted: ProcessActivity) throws -> Bool {
        let worker = try WorkerProcess(shell.launch(script))
        defer {
            worker.kill()
            while worker.reap() == nil { Wait.until(readable: [], seconds: 0.01) }
        }
        var meter = ProcessActivityMeter(worker.identifier)
        var stopwatch = Stopwatch(longestStep: 60)
        for _ in 0..<1000 {
            Wait.until(readable: [], seconds: 0.02)
            if meter.measure(seconds: stopwatch.lap()) == wanted { return true }
        }
        return false
    }
}
