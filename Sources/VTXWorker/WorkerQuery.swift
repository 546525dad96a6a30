import Glibc
package import VTXSystem
package import VTXTask

/// Runs a task that may crash its process, such as querying a driver. A crash is a valid answer.
package struct WorkerQuery: Sendable {
    package var launch: Launch
    package var task: WorkerTask
    /// The timeout for an idle process; nil for none. See `ProcessActivity` for what counts as idle.
    package var seconds: Double?

    package init(_ launch: Launch, _ task: WorkerTask, seconds: Double?) {
        self.launch = launch
        self.task = task
        self.seconds = seconds
    }

    /// How a process without an answer ended.
    package enum Failure: Error, Hashable {
        case ended(ProcessEnding)
        case hung(seconds: Double)
        case stopped(Cancellation.Reason)
        case notStarted(SystemError)
    }

    package typealias Answer = Result<WorkerAnswer, Failure>

    /// Runs all queries in parallel, and waits until each is answered.
    ///
    /// A request to stop ends all of them, and is their answer.
    package static func run(_ queries: [WorkerQuery], _ stops: inout some StopRequests) -> [Answer] {
        let processes = queries.map(QueriedProcess.init)
        while processes.contains(where: { $0.answer == nil }) {
            Poll.wait(
                for: (processes.flatMap(\.readable) + [stops.number]).map(Poll.Event.readable),
                seconds: processes.map(\.tick).min() ?? 1)
            let stop = stops.receive().first
            for index in processes.indices {
                if let stop { processes[index].stop(stop) } else { processes[index].look() }
            }
        }
        return processes.map { $0.answer ?? .failure(.stopped(.terminated)) }
    }
}

/// The process of a query.
private final class QueriedProcess {
    private var process: WorkerProcess?
    /// nil if the kernel does not support it.
    private var ended: FileDescriptor?
    private var idleTime: IdleTime?
    private var found: WorkerAnswer?
    private(set) var answer: WorkerQuery.Answer?

    init(_ query: WorkerQuery) {
        do throws(SystemError) {
            let process = try WorkerProcess(query.launch, WorkerOrder(query.task))
            ended = try? process.openEnd()
            idleTime = IdleTime(of: process.identifier, limit: query.seconds)
            self.process = consume process
        } catch {
            answer = .failure(.notStarted(error))
        }
    }

    /// The descriptor of its events; once it has closed the pipe, that of its exit, which is imminent.
    var readable: [Int32] { answer == nil ? [process?.readable ?? ended?.number].compactMap(\.self) : [] }
    /// The polling interval, in seconds.
    var tick: Double { answer == nil ? readable.isEmpty ? 0.001 : idleTime?.tick ?? 1 : 1 }

    func look() {
        guard answer == nil else { return }
        let ending = process?.reap()
        for case .answer(let answer) in process?.receive() ?? [] {
            found = answer
            idleTime?.limit = 1
        }
        // A complete answer counts, however the process ended afterwards.
        if let ending { answer = found.map { .success($0) } ?? .failure(.ended(ending)) }
        guard answer == nil, idleTime?.isTooLong() == true else { return }
        end()
        answer = found.map { .success($0) } ?? .failure(.hung(seconds: idleTime?.limit ?? 0))
    }

    /// Ends the process without waiting for the kernel to release it.
    private func end() {
        process?.kill()
        for _ in 0..<100 where process?.reap() == nil { Poll.wait(for: [], seconds: 0.01) }
    }

    func stop(_ reason: Cancellation.Reason) {
        guard answer == nil else { return }
        process?.kill()
        answer = .failure(.stopped(reason))
    }
}

/// Watches a process that does not report its activity.
private struct IdleTime {
    /// The polling interval, in seconds.
    let tick: Double
    /// Seconds; nil for no limit.
    var limit: Double?
    private var watchdog = Watchdog()
    private var meter: ProcessActivityMeter
    private var stopwatch: Stopwatch
    private var unmeasured = 0.0

    init(of process: Int32, limit: Double?) {
        self.limit = limit
        tick = min(0.5, max(0.01, (limit ?? 5) / 5))
        meter = ProcessActivityMeter(process)
        stopwatch = Stopwatch(longestStep: 2 * tick)
    }

    mutating func isTooLong() -> Bool {
        unmeasured += stopwatch.lap()
        guard limit != nil, unmeasured >= tick else { return false }
        defer { unmeasured = 0 }
        return watchdog.hasExpired(after: unmeasured, of: meter.measure(seconds: unmeasured), limit: limit)
    }
}
