import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask

/// Decides what the supervisor of a task does next. A state machine without processes, clocks or files.
///
/// A worker does the work. If a GPU's driver kills it, another one is started that tries the GPU once more; if that fails
/// too, the next one does without. Any other crash ends the task with an error.
package struct Supervision: Sendable {
    package enum Event: Sendable {
        case report(WorkerEvent)
        /// The user requests a stop.
        case stop(Cancellation.Reason)
        /// Time has passed, with this activity of the worker.
        case tick(seconds: Double, ProcessActivity)
        /// The worker has exited.
        /// - Parameter finished: The size of its output if that has its final name, and is therefore complete and checked.
        case ended(ProcessEnding, finished: Int64?)
    }

    package enum Action: Sendable {
        case wait
        /// Ask the worker to stop.
        case cancel(Cancellation.Reason)
        case kill
        /// The worker cannot be killed: continue as if it had exited.
        case giveUpWaiting
        /// Remove the worker's partial files, and start another one.
        case restart(DriverFailure)
        /// Remove the worker's partial files and finish.
        case finish(Outcome)
    }

    /// The worker's last event, or why there is none.
    package typealias Outcome = Result<WorkerEvent, TranscodeError>

    /// What a task allows.
    package struct Policy: Sendable, Hashable {
        /// Whether to start over if a GPU fails midway.
        package enum SecondRun: Sendable, Hashable {
            case allowed
            /// Forbidden, because hardware is required.
            case forbidden
            /// Forbidden, because a fallback is an error.
            case fallback
            /// Impossible, because a camera's frames cannot be captured again.
            case impossible
        }

        /// Whether drivers may be loaded.
        package var mayUseHardware: Bool
        package var secondRun: SecondRun
        /// Whether the first stop ends it, because there is nothing to clean up.
        package var endsAtFirstStop: Bool

        package init(mayUseHardware: Bool, secondRun: SecondRun = .allowed, endsAtFirstStop: Bool = false) {
            self.mayUseHardware = mayUseHardware
            self.secondRun = secondRun
            self.endsAtFirstStop = endsAtFirstStop
        }
    }

    private let policy: Policy
    /// The timeout for an inactive driver, in seconds; nil for none.
    private let timeout: Double?
    /// The timeout for a worker that only has to exit, in seconds.
    private static let exitTimeout = 5.0
    private var worker: Worker
    private var stops: [Cancellation.Reason] = []
    private var retries = DriverRetries()
    /// Why workers were replaced. The last failure may be the reason that there is no further one.
    package private(set) var driverFailures: [DriverFailure] = []

    package init(_ policy: Policy, timeout: Double?) {
        self.policy = policy
        self.timeout = timeout
        worker = Worker(avoidsHardware: !policy.mayUseHardware)
    }

    /// Whether a timeout currently applies.
    package var isWatching: Bool { limit != nil }

    package mutating func handle(_ event: Event) -> Action {
        switch event {
        case .report(let event):
            worker.note(event)
            return .wait
        case .stop(let reason): return stop(reason)
        case .tick(let seconds, let activity): return tick(seconds, activity)
        case .ended(let ending, let finished): return end(ending, finished)
        }
    }

    /// Handles a stop: the first one asks, the second one kills.
    private mutating func stop(_ reason: Cancellation.Reason) -> Action {
        stops.append(reason)
        worker.watchdog.signOfLife()
        if stops.count == 1, !policy.endsAtFirstStop { return .cancel(reason) }
        return worker.kill() ? .kill : .wait
    }

    private mutating func tick(_ seconds: Double, _ activity: ProcessActivity) -> Action {
        // A worker that was asked to exit must not wait for a file either.
        let counted = worker.isLeaving ? .idle : activity
        guard worker.watchdog.hasExpired(after: seconds, of: counted, limit: limit) else { return .wait }
        return worker.kill() ? .kill : .giveUpWaiting
    }

    /// The timeout that currently applies, in seconds.
    private var limit: Double? {
        if stops.count >= 2 { return 2 }
        if worker.isLeaving { return Self.exitTimeout }
        guard worker.isInDriversHands else { return nil }
        // Containers are killed ten seconds after a stop, which would leave a partial file.
        return stops.isEmpty ? timeout : min(Self.exitTimeout, timeout ?? .infinity)
    }
}

extension Supervision {
    private mutating func end(_ ending: ProcessEnding, _ finished: Int64?) -> Action {
        // A driver that crashes during exit no longer matters.
        if let outcome = worker.outcome { return .finish(outcome) }
        if let finished, let result = worker.result(ending, byteCount: finished) {
            return .finish(.success(.result(result)))
        }
        if let stop = stops.first { return .finish(.failure(.stopped(stop))) }
        guard worker.isInDriversHands, worker.wasKilled || !ending.comesFromOutside else {
            let error = TranscodeError.worker(
                ending, usesHardware: worker.hardware != .unused, after: driverFailures.last)
            return .finish(.failure(policy.secondRun == .impossible ? error.with(worker.progress) : error))
        }
        let mayRetry = policy.secondRun != .impossible && !worker.hasUsedPipe
        return fail(retries.evaluate(worker.failure(ending), frames: worker.frames, mayRetry: mayRetry))
    }

    private mutating func fail(_ failure: DriverFailure) -> Action {
        let isKnown = driverFailures.contains { $0.device == failure.device && $0.excludesDevice }
        driverFailures.append(failure)
        if worker.hasUsedPipe { return .finish(.failure(.endedPipe(failure))) }
        switch policy.secondRun {
        // Nothing is decided while drivers are queried: the remaining devices may satisfy the request.
        case _ where !isKnown && failure.isWhileAsked && failure.device != nil, _ where !isKnown && failure.isRetried,
            .allowed where !isKnown:
            worker = Worker(avoidsHardware: driverFailures.excludeAll)
            return .restart(failure)
        case .allowed: return .finish(.failure(.repeated(failure)))
        case .forbidden: return .finish(.failure(.required(failure)))
        case .fallback: return .finish(.failure(.forbiddenFallback(failure)))
        case .impossible: return .finish(.failure(.ended(by: failure).with(worker.progress)))
        }
    }
}

extension ProcessEnding {
    /// Whether it was killed by a user, or by the kernel when out of memory.
    fileprivate var comesFromOutside: Bool {
        if case .killed = self { !isCrash } else { false }
    }
}

/// Errors of a task whose worker died and cannot be replaced.
extension TranscodeError {
    /// Required hardware forbids a second run.
    static func required(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and \(option: .hardware, "require") allows no other attempt",
            hint: "\(option: .hardware, "auto") continues with another GPU or in software when a driver fails"
        ).on(failure.device)
    }

    /// The recording has ended.
    static func ended(by failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and ended the recording",
            hint: "\(option: .hardware, "off") uses no GPU"
        ).on(failure.device)
    }

    /// Data from a pipe cannot be read again.
    static func endedPipe(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and data from a pipe cannot be read again",
            hint: "the next command avoids that GPU for a while; \(option: .hardware, "off") uses no GPU"
        ).on(failure.device)
    }

    static func forbiddenFallback(_ failure: DriverFailure) -> TranscodeError {
        forbiddenFallback(failure.description).on(failure.device)
    }

    /// The worker crashed in the driver of a GPU that it should not use.
    static func repeated(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(failure.description), again").on(failure.device)
    }

    /// Returns the error for a worker that crashed outside a driver, or was killed.
    /// - Parameters:
    ///   - usesHardware: Whether its plan has a GPU, although no driver was being called.
    ///   - failure: The driver failure of an earlier worker.
    static func worker(
        _ ending: ProcessEnding, usesHardware: Bool, after failure: DriverFailure?
    ) -> TranscodeError {
        if case .killed(let signal) = ending, !ending.isCrash {
            let orMemory = signal == SIGKILL ? " or because memory ran out" : ""
            return TranscodeError(.workerKilled, "vtx \(ending.words), by another process\(orMemory)")
        }
        let whose =
            failure.map { "\(usesHardware ? "" : "without a GPU, ")after \($0.description)" }
            ?? "and no GPU was involved"
        return TranscodeError(.workerCrashed, "vtx or a library in it \(ending.words), \(whose)")
    }

    /// Adds how much of a recording there is. Its files are complete up to their last second.
    fileprivate func with(_ progress: Progress?) -> TranscodeError {
        var error = self
        let seconds = Int(progress?.seconds ?? 0)
        error.message +=
            seconds < 1
            ? "; less than a second is recorded" : "; the recording can be played, and has about \(seconds) s"
        return error
    }

    private func on(_ device: DeviceID?) -> TranscodeError {
        var error = self
        error.device = device
        return error
    }
}
