import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask

/// What the supervisor of a task does next, as a state machine: no process, no clock, no file in it.
///
/// A worker does the work. One that dies of a GPU's driver is followed by another one, which leaves that GPU alone; one
/// that dies of anything else ends the task with an error.
package struct Supervision: Sendable {
    package enum Event: Sendable {
        case report(WorkerEvent)
        /// The user wants an end.
        case stop(Cancellation.Reason)
        /// Time has passed, and this is what the worker did in it.
        case tick(seconds: Double, ProcessActivity)
        /// The worker is gone.
        /// - Parameter isInPlace: its output has its own name, and so was whole and checked.
        case ended(ProcessEnding, isInPlace: Bool)
    }

    package enum Action: Sendable {
        case wait
        /// Tell the worker to end.
        case cancel(Cancellation.Reason)
        case kill
        /// The worker cannot be killed: go on as if it were gone.
        case giveUpWaiting
        /// Remove what the worker left, and start another that leaves the GPU alone.
        case restart(DriverFailure)
        /// Remove what the worker left; this is the end.
        case finish(Outcome)
    }

    /// The worker's last event, or why there is none.
    package typealias Outcome = Result<WorkerEvent, TranscodeError>

    /// What a task allows.
    package struct Policy: Sendable, Hashable {
        /// Whether the work may be done again where a GPU failed in the middle.
        package enum SecondRun: Sendable, Hashable {
            case allowed
            /// Hardware is required.
            case forbidden
            /// A fallback is an error.
            case fallback
            /// What was there is over: a camera does not give it again.
            case impossible
        }

        /// Whether a driver may be loaded.
        package var mayUseHardware: Bool
        package var secondRun: SecondRun
        /// Nothing has to be put in order when it is stopped.
        package var endsAtFirstStop: Bool

        package init(mayUseHardware: Bool, secondRun: SecondRun = .allowed, endsAtFirstStop: Bool = false) {
            self.mayUseHardware = mayUseHardware
            self.secondRun = secondRun
            self.endsAtFirstStop = endsAtFirstStop
        }
    }

    private let policy: Policy
    /// Seconds that a driver may do nothing; nil for any time.
    private let timeout: Double?
    /// Seconds for a worker that has nothing left to do but end.
    private static let exitTimeout = 5.0
    private var worker: Worker
    private var stops: [Cancellation.Reason] = []
    /// Why there are other workers than the first one; the last of them may be why there is no other.
    package private(set) var driverFailures: [DriverFailure] = []

    package init(_ policy: Policy, timeout: Double?) {
        self.policy = policy
        self.timeout = timeout
        worker = Worker(avoidsHardware: !policy.mayUseHardware)
    }

    /// Whether time matters at the moment.
    package var isWatching: Bool { limit != nil }

    package mutating func handle(_ event: Event) -> Action {
        switch event {
        case .report(let event):
            worker.note(event)
            return .wait
        case .stop(let reason): return stop(reason)
        case .tick(let seconds, let activity): return tick(seconds, activity)
        case .ended(let ending, let isInPlace): return end(ending, isInPlace)
        }
    }

    /// The first asks, the second insists.
    private mutating func stop(_ reason: Cancellation.Reason) -> Action {
        stops.append(reason)
        worker.watchdog.signOfLife()
        if stops.count == 1, !policy.endsAtFirstStop { return .cancel(reason) }
        return worker.kill() ? .kill : .wait
    }

    private mutating func tick(_ seconds: Double, _ activity: ProcessActivity) -> Action {
        // A worker that was told to end may not wait for a file either.
        let counted = worker.isLeaving ? .idle : activity
        guard worker.watchdog.hasExpired(after: seconds, of: counted, limit: limit) else { return .wait }
        return worker.kill() ? .kill : .giveUpWaiting
    }

    /// Seconds of silence that are too many now.
    private var limit: Double? {
        if stops.count >= 2 { return 2 }
        if worker.isLeaving { return Self.exitTimeout }
        guard worker.isInDriversHands else { return nil }
        // A container that does not stop is killed after ten seconds, and leaves its unfinished file.
        return stops.isEmpty ? timeout : min(Self.exitTimeout, timeout ?? .infinity)
    }
}

extension Supervision {
    private mutating func end(_ ending: ProcessEnding, _ isInPlace: Bool) -> Action {
        // A driver that crashes on the way out comes too late to matter.
        if let outcome = worker.outcome { return .finish(outcome) }
        if isInPlace, let result = worker.result(ending) { return .finish(.success(.result(result))) }
        if let stop = stops.first { return .finish(.failure(.stopped(stop))) }
        guard worker.isInDriversHands, worker.wasKilled || !ending.comesFromOutside else {
            return .finish(.failure(.worker(ending, after: driverFailures.last)))
        }
        return fail(worker.failure(ending))
    }

    private mutating func fail(_ failure: DriverFailure) -> Action {
        let isKnown = driverFailures.contains { $0.device == failure.device }
        driverFailures.append(failure)
        if worker.hasUsedPipe { return .finish(.failure(.endedPipe(failure))) }
        switch policy.secondRun {
        // While drivers are asked nothing has been decided: what is left may be what the user wants.
        case _ where !isKnown && failure.isWhileAsked && failure.device != nil, .allowed where !isKnown:
            worker = Worker(avoidsHardware: driverFailures.excludeAll)
            return .restart(failure)
        case .allowed: return .finish(.failure(.repeated(failure)))
        case .forbidden: return .finish(.failure(.required(failure)))
        case .fallback: return .finish(.failure(.forbiddenFallback(failure)))
        case .impossible: return .finish(.failure(.ended(by: failure)))
        }
    }
}

extension ProcessEnding {
    /// It was killed: by hand, or the kernel where memory ran out.
    fileprivate var comesFromOutside: Bool {
        if case .killed = self { !isCrash } else { false }
    }
}

/// How a task ends whose worker died, where nothing else is left to try.
extension TranscodeError {
    /// Required hardware forbids the second run.
    static func required(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and \(option: .hardware, "require") forbids software",
            hint: "\(option: .hardware, "auto") falls back to software when a driver fails"
        ).on(failure.device)
    }

    /// What was being recorded is over.
    static func ended(by failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and ended the recording; what was recorded is in the output",
            hint: "\(option: .hardware, "off") leaves the GPU alone"
        ).on(failure.device)
    }

    /// What went through a pipe does not come again.
    static func endedPipe(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and what went through a pipe does not come again",
            hint: "the next command leaves that GPU alone for a while; \(option: .hardware, "off") leaves all alone"
        ).on(failure.device)
    }

    static func forbiddenFallback(_ failure: DriverFailure) -> TranscodeError {
        forbiddenFallback(failure.description).on(failure.device)
    }

    /// The GPU was to be left alone.
    static func repeated(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(failure.description), and did so before").on(failure.device)
    }

    /// A worker in which no driver was at work, or that was killed.
    /// - Parameter failure: what an earlier one died of.
    package static func worker(_ ending: ProcessEnding, after failure: DriverFailure?) -> TranscodeError {
        if case .killed = ending, !ending.isCrash {
            return TranscodeError(.workerKilled, "vtx \(ending.words), by another process or because memory ran out")
        }
        let whose = failure.map { "without a GPU, after \($0.description)" } ?? "and no GPU took part in that"
        return TranscodeError(.workerCrashed, "vtx or a library in it \(ending.words), \(whose)")
    }

    private func on(_ device: DeviceID?) -> TranscodeError {
        var error = self
        error.device = device
        return error
    }
}
