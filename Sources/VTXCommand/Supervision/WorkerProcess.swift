import Glibc
import VTXMedia
import VTXSystem

/// A child process, and the pipe in which it reports.
///
/// The child has this process's standard descriptors, and is in its process group: a terminal's Ctrl-Z stops both.
/// One that was started finds the pipe by the number in the environment variable `VTX_WORKER`, a double has it. The
/// pipe's other use is to tell a child that its parent is gone: then it is no longer read.
///
/// Its owner waits for its end with `reap`. It belongs to one thread.
final class WorkerProcess {
    static let variable = "VTX_WORKER"

    let identifier: pid_t
    /// -1 once everything is read.
    private(set) var reports: Int32
    private(set) var ending: ProcessEnding?

    init(_ launch: WorkerLaunch) throws(SystemError) {
        // One at a time: another child would inherit the pipe's ends before they are marked.
        (identifier, reports) = try Self.starting.withLock { _ throws(SystemError) in try Self.start(launch) }
    }

    init(_ identifier: pid_t, reports: Int32) {
        self.identifier = identifier
        self.reports = reports
    }

    deinit { closeReports() }

    private static let starting = Locked(())

    private static func start(_ launch: WorkerLaunch) throws(SystemError) -> (pid_t, Int32) {
        let pipe = try ReportPipe()
        defer { close(pipe.writing) }
        do throws(SystemError) {
            return (try start(launch, reportingTo: pipe.writing), pipe.reading)
        } catch {
            close(pipe.reading)
            throw error
        }
    }

    private static func start(_ launch: WorkerLaunch, reportingTo pipe: Int32) throws(SystemError) -> pid_t {
        var launch = launch
        launch.environment[variable] = String(pipe)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Onto itself: the child alone keeps it open.
        posix_spawn_file_actions_adddup2(&actions, pipe, pipe)
        return try launch.start(&actions)
    }
}

extension WorkerProcess {
    /// What it has reported since the last time; never waits.
    func readReports() -> [UInt8] {
        var all: [UInt8] = []
        while reports >= 0 {
            switch ReadResult.read(from: reports) {
            case .bytes(let bytes): all += bytes
            case .nothingYet: return all
            case .end: closeReports()
            }
        }
        return all
    }

    /// How it ended; nil while it runs. Never waits.
    func reap() -> ProcessEnding? {
        var status: Int32 = 0
        if ending == nil, waitpid(identifier, &status, WNOHANG) == identifier {
            ending = ProcessEnding(waitStatus: status)
        }
        return ending
    }

    /// Ends it, whatever it does.
    func kill() { if ending == nil { _ = Glibc.kill(identifier, SIGKILL) } }

    /// Tells it of a signal that came here; see `StopSignals`.
    func forward(_ signal: StopSignal, count: Int) {
        if ending == nil { sigqueue(identifier, signal.rawValue, sigval(sival_int: Int32(count))) }
    }

    private func closeReports() {
        if reports >= 0 { close(reports) }
        reports = -1
    }
}
