import VTXTask
import VTXTranscode

/// What the supervisor of a transcode does next, as a state machine: no process, no clock, no file in it.
///
/// A worker does the work. One that dies of a GPU's driver is followed by another one, which leaves that GPU alone; one
/// that dies of anything else ends the command with an error.
struct Supervision: Sendable {
    enum Event: Sendable {
        case record(WorkerRecord)
        /// The user wants an end.
        case stop(StopSignal)
        /// Time has passed, and this is what the worker did in it.
        case tick(seconds: Double, ProcessActivity)
        /// The worker is gone.
        /// - Parameter isInPlace: its output has its own name, and so was whole and checked.
        case ended(ProcessEnding, isInPlace: Bool)
    }

    enum Action: Sendable {
        case wait
        /// Tell the worker of the user's request; `count` says which it is.
        case forward(StopSignal, count: Int)
        case kill
        /// The worker cannot be killed: go on as if it were gone.
        case giveUpWaiting
        /// Remove what the worker left, and start another that leaves the GPU alone.
        case restart(HardwareFault)
        /// Remove what the worker left; this is the end.
        case finish(Verdict)
    }

    /// How the command ends.
    enum Verdict: Sendable {
        /// The worker has told the user everything.
        case exit(ExitCode)
        /// The user is still to be told.
        case failed(TranscodeError)
        case completed(TranscodeResult)
    }

    /// Whether the work may be done again where a GPU failed in the middle.
    enum SecondRun: Sendable, Hashable {
        case allowed
        /// `--hw require`.
        case forbidden
        /// `--fail-on-fallback`.
        case fallback
    }

    private let secondRun: SecondRun
    /// Seconds that a driver may do nothing; nil for any time.
    private let timeout: Double?
    /// Seconds for a worker that has nothing left to do but end.
    private static let exitTimeout = 5.0
    private var worker = Worker()
    private var stops: [StopSignal] = []
    /// Why there are other workers than the first one; the last of them may be why there is no other.
    private(set) var faults: [HardwareFault] = []

    init(secondRun: SecondRun, timeout: Double?) {
        self.secondRun = secondRun
        self.timeout = timeout
    }

    /// Whether no GPU is to be used any more, since it is not known which one failed.
    var avoidsHardware: Bool { faults.contains { $0.device == nil } }

    /// Whether time matters at the moment.
    var isWatching: Bool { limit != nil }

    mutating func handle(_ event: Event) -> Action {
        switch event {
        case .record(let record):
            worker.note(record)
            return .wait
        case .stop(let signal):
            stops.append(signal)
            worker.watchdog.signOfLife()
            return stops.count <= 2 ? .forward(signal, count: stops.count) : .wait
        case .tick(let seconds, let activity): return tick(seconds, activity)
        case .ended(let ending, let isInPlace): return end(ending, isInPlace)
        }
    }

    private mutating func tick(_ seconds: Double, _ activity: ProcessActivity) -> Action {
        // Who was told to end may not wait for a file either.
        let counted = worker.isLeaving || stops.count >= 2 ? .idle : activity
        guard worker.watchdog.hasExpired(after: seconds, of: counted, limit: limit) else { return .wait }
        return worker.kill() ? .kill : .giveUpWaiting
    }

    /// Seconds of silence that are too many now.
    private var limit: Double? {
        if worker.isLeaving { return Self.exitTimeout }
        if stops.count >= 2 { return 2 }
        guard worker.isInDriversHands else { return nil }
        // A container that does not stop is killed after ten seconds, and leaves its unfinished file.
        return stops.isEmpty ? timeout : min(Self.exitTimeout, timeout ?? .infinity)
    }
}

extension Supervision {
    private mutating func end(_ ending: ProcessEnding, _ isInPlace: Bool) -> Action {
        if let code = exitCode(ending) { return .finish(.exit(code)) }
        if isInPlace, let result = worker.result(ending) { return .finish(.completed(result)) }
        if let stop = stops.first { return .finish(.failed(stop.error)) }
        if let stop = StopSignal.allCases.first(where: { ending == .exited($0.error.exitCode.rawValue) }) {
            return .finish(.failed(stop.error))
        }
        guard worker.isInDriversHands, worker.wasKilled || !ending.comesFromOutside else {
            return .finish(.failed(.worker(ending, after: faults.last)))
        }
        return fail(worker.fault(ending))
    }

    /// What the worker itself wanted to end with; nil where it did not get that far.
    private func exitCode(_ ending: ProcessEnding) -> ExitCode? {
        if case .exited(let status) = ending, let code = ExitCode(rawValue: status) {
            // A library may call exit() as well; only vtx tells before.
            if worker.ended != nil { return code }
        }
        // A driver that crashes on the way out comes too late to matter.
        return worker.ended
    }

    private mutating func fail(_ fault: HardwareFault) -> Action {
        let isKnown = faults.contains { $0.device == fault.device }
        faults.append(fault)
        switch secondRun {
        // While drivers are asked nothing has been decided: what is left may be what the user wants.
        case _ where !isKnown && fault.isWhileAsked && fault.device != nil, .allowed where !isKnown:
            worker = Worker(avoidsHardware: avoidsHardware)
            return .restart(fault)
        case .allowed: return .finish(.failed(.repeated(fault)))
        case .forbidden: return .finish(.failed(.required(fault)))
        case .fallback: return .finish(.failed(.forbiddenFallback(fault.description)))
        }
    }
}

extension ProcessEnding {
    /// It was killed: by hand, or the kernel where memory ran out.
    fileprivate var comesFromOutside: Bool {
        if case .killed = self { !isCrash } else { false }
    }
}
