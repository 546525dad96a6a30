import Glibc
package import VTXSystem
package import VTXTask

/// Work that may bring its process down, such as asking a driver what it can do: a crash is an answer then.
package struct Question: Sendable {
    package var launch: Launch
    package var task: WorkerTask
    /// A process that does nothing for so long hangs; nil for any time. See `ProcessActivity` for what counts.
    package var seconds: Double?

    package init(_ launch: Launch, _ task: WorkerTask, seconds: Double?) {
        self.launch = launch
        self.task = task
        self.seconds = seconds
    }

    /// How it went with a process that has no answer.
    package enum Failure: Error, Hashable {
        case ended(ProcessEnding)
        case hung(seconds: Double)
        case stopped(Cancellation.Reason)
        case notStarted(SystemError)
    }

    package typealias Answer = Result<WorkerAnswer, Failure>

    /// Asks all of them at the same time, and waits until each has answered.
    ///
    /// A request to stop ends them all, and is their answer.
    package static func ask(_ questions: [Question], _ stops: inout some StopRequests) -> [Answer] {
        let processes = questions.map(AskedProcess.init)
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

/// A process that is asked.
private final class AskedProcess {
    private var process: WorkerProcess?
    /// nil where the kernel has none.
    private var ended: FileDescriptor?
    private var idleTime: IdleTime?
    private var found: WorkerAnswer?
    private(set) var answer: Question.Answer?

    init(_ question: Question) {
        do throws(SystemError) {
            let process = try WorkerProcess(question.launch, WorkerOrder(question.task))
            ended = try? process.openEnd()
            idleTime = IdleTime(of: process.identifier, limit: question.seconds)
            self.process = consume process
        } catch {
            answer = .failure(.notStarted(error))
        }
    }

    /// What it says; once it has closed the pipe, its end, which is near.
    var readable: [Int32] { answer == nil ? [process?.readable ?? ended?.number].compactMap(\.self) : [] }
    /// Seconds after which to look again.
    var tick: Double { answer == nil ? readable.isEmpty ? 0.001 : idleTime?.tick ?? 1 : 1 }

    func look() {
        guard answer == nil else { return }
        let ending = process?.reap()
        for case .answer(let answer) in process?.receive() ?? [] {
            found = answer
            idleTime?.limit = 1
        }
        // An answer that came whole counts, however the process ended after it.
        if let ending { answer = found.map { .success($0) } ?? .failure(.ended(ending)) }
        guard answer == nil, idleTime?.isTooLong() == true else { return }
        end()
        answer = found.map { .success($0) } ?? .failure(.hung(seconds: idleTime?.limit ?? 0))
    }

    /// A kernel that does not release the process must not keep this one too.
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

/// Watches a process that says nothing of what it does.
private struct IdleTime {
    /// Seconds after which to look again.
    let tick: Double
    /// Seconds; nil for any time.
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
