import Glibc
import VTX
import VTXMedia
import VTXSystem
import VTXTranscode

/// Runs workers, one after the other, until one of them has an answer. `Supervision` decides; this carries it out.
struct Supervisor: Sendable {
    let launch: WorkerLaunch
    /// The first worker is this process's double; see `WorkerProcess.double`.
    var beginsWithDouble = false
    let secondRun: Supervision.SecondRun
    /// Seconds that a driver may do nothing; nil for any time.
    let timeout: Double?
    /// Has later jobs leave a GPU alone.
    var remember: @Sendable (DriverMemory.Fault) -> Void = { _ in }

    /// The first worker; nil in the worker itself.
    func begin() throws(SystemError) -> WorkerProcess? {
        beginsWithDouble && ThreadCount.ofThisProcess == 1 ? try .double() : try WorkerProcess(launch)
    }

    /// - Parameters:
    ///   - worker: what `begin` made.
    ///   - stops: what the user wants, as it comes.
    ///   - onDeath: called when a worker has died that had not told the user how it went.
    func run(
        _ worker: WorkerProcess, _ stops: StopPipe, onDeath: () -> Void = {}
    ) throws(SystemError) -> Supervision.Verdict {
        var state = Supervision(secondRun: secondRun, timeout: timeout)
        var worker = worker
        while true {
            var watch = WorkerWatch(worker, timeout: timeout)
            let known = state.faults.count
            let decision = watch.untilDecided(&state, stops)
            state.faults.dropFirst(known).compactMap(\.asMemory).forEach(remember)
            switch decision {
            case .finish(let verdict):
                watch.removeLeftovers(verdict)
                if !verdict.isTold { onDeath() }
                return verdict
            case .restart:
                watch.removeLeftovers(nil)
                onDeath()
                var launch = launch
                launch.environment.merge(WorkerLink.variables(after: state)) { $1 }
                worker = try WorkerProcess(launch)
            }
        }
    }
}

extension Supervision.Verdict {
    fileprivate var isTold: Bool { if case .exit = self { true } else { false } }
}

/// The stop signals that came, as a pipe: a loop can wait for them and for other things at once.
final class StopPipe: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(SystemError) {
        let pipe = try ReportPipe()
        (reading, writing) = (pipe.reading, pipe.writing)
    }

    deinit {
        close(reading)
        close(writing)
    }

    func send(_ signal: StopSignal) {
        var byte = UInt8(signal.rawValue)
        _ = write(writing, &byte, 1)
    }

    func receive() -> [StopSignal] {
        guard case .bytes(let bytes) = ReadResult.read(from: reading) else { return [] }
        return bytes.compactMap { StopSignal(rawValue: Int32($0)) }
    }
}
