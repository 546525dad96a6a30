import Dispatch
import Glibc
import VTXTranscode

/// A signal that asks the process to end.
enum StopSignal: Int32, Sendable, CaseIterable {
    case interrupt = 2
    case terminate = 15
    case hangUp = 1

    /// A terminal that goes away wants the same as a service manager.
    var reason: Cancellation.Reason { self == .interrupt ? .interrupted : .terminated }

    /// How a command ends that had no chance to end by itself.
    var error: TranscodeError {
        switch reason {
        case .interrupted: TranscodeError(.interrupted, "cancelled.interrupted", "interrupted")
        case .terminated: TranscodeError(.terminated, "cancelled.terminated", "terminated")
        }
    }

    /// Ends the process here and now: nothing is flushed, no destructor runs.
    func endProcess() -> Never { _exit(error.exitCode.rawValue) }
}

/// Turns signals into calls, on a thread that waits for them: there everything may be called, which a signal
/// handler may not.
enum StopSignals {
    /// Calls `first` for the first signal. A second one calls `second`, which gets a moment to say so, and ends
    /// the process.
    ///
    /// To be called from the main thread before there are others: they inherit the blocked signals, and a thread
    /// that did not would die of one.
    static func watch(
        first: @escaping @Sendable (StopSignal) -> Void, second: @escaping @Sendable (StopSignal) -> Void
    ) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in StopSignal.allCases { sigaddset(&set, signal.rawValue) }
        // nohup starts programs with this one ignored, and that is to stay so. Scripts start background jobs with
        // SIGINT ignored, only to keep the keyboard away from them; who sends one by hand means it.
        if isIgnored(.hangUp) { sigdelset(&set, StopSignal.hangUp.rawValue) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waiter = SignalWaiter(set: set, first: first, second: second)
        var thread = pthread_t()
        let pointer = Unmanaged.passRetained(waiter).toOpaque()
        let code = pthread_create(&thread, nil, runSignalWaiter, pointer)
        guard code == 0 else {
            // Without the thread the signals do what they always do, which is better than nothing at all.
            Unmanaged<SignalWaiter>.fromOpaque(pointer).release()
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            return
        }
        pthread_detach(thread)
    }

    private static func isIgnored(_ signal: StopSignal) -> Bool {
        var action = sigaction()
        sigaction(signal.rawValue, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// What the waiting thread needs.
private final class SignalWaiter: Sendable {
    private let set: sigset_t
    private let first: @Sendable (StopSignal) -> Void
    private let second: @Sendable (StopSignal) -> Void

    init(
        set: sigset_t, first: @escaping @Sendable (StopSignal) -> Void,
        second: @escaping @Sendable (StopSignal) -> Void
    ) {
        self.set = set
        self.first = first
        self.second = second
    }

    func run() -> Never {
        let (first, second) = (first, second)
        let stop = next()
        // Away from this thread: whatever takes long there must not keep a second signal from counting.
        DispatchQueue.global().async { first(stop) }
        let signal = next()
        // Nor must a console that another thread holds for as long as nobody reads the pipe behind it.
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            second(signal)
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + .milliseconds(200))
        signal.endProcess()
    }

    private func next() -> StopSignal {
        var set = set
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0, let signal = StopSignal(rawValue: number) { return signal }
        }
    }
}

private func runSignalWaiter(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    Unmanaged<SignalWaiter>.fromOpaque(pointer).takeRetainedValue().run()
}
