import Glibc

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
        let link = WorkerLink.own
        let isWorker = link != nil
        // Away from the thread that waits: what takes long there must not keep a second signal from counting, nor must
        // a console that another thread holds for as long as its pipe is not read.
        let (first, second) = (PrestartedThread(first), PrestartedThread(second))
        wait { next in
            var count = StopCounter(isWorker: isWorker)
            while true {
                let (signal, forwarded) = next()
                switch count.add(forwarded: forwarded) {
                case .first: first.run(signal)
                case .second:
                    second.run(signal)
                    second.wait(milliseconds: 200)
                    signal.endProcess()
                case nil: break
                }
            }
        }
        // A supervisor that is gone is one more of them.
        link?.endWithSupervisor()
    }

    /// Calls `receive` for every signal, on a thread of its own. To be called as `watch` is.
    static func forEach(_ receive: @escaping @Sendable (StopSignal) -> Void) {
        wait { next in
            while true { receive(next().signal) }
        }
    }
}

extension StopSignals {
    /// Keeps them waiting, in a process that has no other thread yet.
    /// - Returns: what was blocked before.
    static func block() -> sigset_t {
        let set = wanted
        var before = sigset_t()
        withUnsafePointer(to: set) { _ = pthread_sigmask(SIG_BLOCK, $0, &before) }
        return before
    }

    static func restore(_ mask: sigset_t) { withUnsafePointer(to: mask) { _ = pthread_sigmask(SIG_SETMASK, $0, nil) } }

    private typealias Next = () -> (signal: StopSignal, forwarded: Int?)

    /// Blocks the signals, and runs `body` on a thread that can wait for them.
    private static func wait(_ body: @escaping @Sendable (Next) -> Void) {
        let set = wanted
        _ = block()
        let isWatched = DetachedThread.start {
            let stopwatch = SuspendingClock.now
            var echo = SignalDebounce()
            body {
                while true {
                    let (signal, forwarded) = next(of: set)
                    // What a supervisor passes on has been through this there.
                    let now = (SuspendingClock.now - stopwatch) / .seconds(1)
                    if forwarded != nil || !echo.isEcho(at: now) { return (signal, forwarded) }
                }
            }
        }
        // Without the thread the signals do what they always do, which is better than nothing at all.
        if !isWatched { withUnsafePointer(to: set) { _ = pthread_sigmask(SIG_UNBLOCK, $0, nil) } }
    }

    private static var wanted: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in StopSignal.allCases { sigaddset(&set, signal.rawValue) }
        // nohup starts programs with this one ignored, and that is to stay so. Scripts start background jobs with
        // SIGINT ignored, only to keep the keyboard away from them; who sends one by hand means it.
        if isIgnored(StopSignal.hangUp.rawValue) { sigdelset(&set, StopSignal.hangUp.rawValue) }
        return set
    }

    private static func next(of set: sigset_t) -> (signal: StopSignal, forwarded: Int?) {
        while true {
            var information = siginfo_t()
            let number = withUnsafePointer(to: set) { sigwaitinfo($0, &information) }
            if let signal = StopSignal(rawValue: number) { return (signal, information.forwardedCount) }
        }
    }

    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension siginfo_t {
    /// What `WorkerProcess.forward` says with the signal; nil where another process sent it.
    fileprivate var forwardedCount: Int? {
        guard si_code == SI_QUEUE, _sifields._rt.si_pid == getppid() else { return nil }
        return Int(_sifields._rt.si_sigval.sival_int)
    }
}
