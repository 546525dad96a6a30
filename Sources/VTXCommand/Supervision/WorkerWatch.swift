import VTXTask
import VTXTranscode

/// One worker under a supervisor's eyes.
struct WorkerWatch {
    enum Decision {
        case restart(HardwareFault)
        case finish(Supervision.Verdict)
    }

    private let worker: WorkerProcess
    private let tickSeconds: Double
    private var lines = LineSplitter()
    private var stopwatch: Stopwatch
    private var meter: ProcessActivityMeter
    private var partial: PartialFile?
    private var ending: ProcessEnding?
    /// Time that has not been told yet.
    private var untold = 0.0

    /// - Parameter timeout: how often to look follows from it.
    init(_ worker: WorkerProcess, timeout: Double?) {
        self.worker = worker
        tickSeconds = min(1, max(0.01, (timeout ?? 5) / 5))
        // A step that took longer is one in which this process did not run.
        stopwatch = Stopwatch(longestStep: 2 * tickSeconds)
        meter = ProcessActivityMeter(worker.identifier)
    }

    /// Lets things happen until the worker is gone.
    mutating func untilDecided(_ state: inout Supervision, _ stops: StopPipe) -> Decision {
        while true {
            for event in nextEvents(state, stops) {
                switch state.handle(event) {
                case .wait: break
                case .forward(let signal, let count): worker.forward(signal, count: count)
                case .kill: worker.kill()
                case .giveUpWaiting: ending = .stuck
                case .restart(let fault): return .restart(fault)
                case .finish(let verdict): return .finish(verdict)
                }
            }
        }
    }

    /// What a worker wrote and did not finish goes; what has the output's name stays.
    func removeLeftovers(_ verdict: Supervision.Verdict?) {
        if case .completed? = verdict { return }
        partial?.remove(isAbandoned: worker.ending == nil)
    }

    private mutating func nextEvents(_ state: Supervision, _ stops: StopPipe) -> [Supervision.Event] {
        Wait.until(readable: [worker.reports, stops.reading], seconds: worker.timeout(tickSeconds))
        // The end first, then what was reported before it: nothing can follow.
        let ending = worker.reap() ?? ending
        var events = readRecords()
        events += stops.receive().map { .stop($0) }
        if let ending { return events + [.ended(ending, isInPlace: partial?.isInPlace ?? false)] }
        return events + tick(state)
    }

    private mutating func readRecords() -> [Supervision.Event] {
        lines.add(worker.readReports()).compactMap(WorkerRecord.init).map { record in
            note(record)
            return .record(record)
        }
    }

    private mutating func note(_ record: WorkerRecord) {
        switch record {
        case .writing(let output): partial = PartialFile(of: output)
        case .progress: partial?.look()
        case .using, .planned, .ended: break
        }
    }

    /// Time is told once a tick, not with every record.
    private mutating func tick(_ state: Supervision) -> [Supervision.Event] {
        untold += stopwatch.lap()
        guard untold >= tickSeconds else { return [] }
        defer { untold = 0 }
        return [.tick(seconds: untold, state.isWatching ? meter.measure(seconds: untold) : .idle)]
    }
}

/// Makes lines out of bytes that come in pieces.
struct LineSplitter {
    private var rest: [UInt8] = []
    /// A writer that never ends a line must not take all memory.
    static let longestLine = 16384

    /// The lines that these bytes complete, without their ends.
    mutating func add(_ bytes: [UInt8]) -> [String] {
        rest += bytes
        guard let end = rest.lastIndex(of: newline) else {
            if rest.count > Self.longestLine { rest = [] }
            return []
        }
        let lines = rest[..<end].split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
        rest.removeSubrange(...end)
        return lines
    }
}

private let newline = UInt8(ascii: "\n")
