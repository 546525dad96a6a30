import Glibc

/// A thread that is never joined. It takes no signals but those that it waits for itself.
enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: false where the system refuses another thread.
    @discardableResult
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(run))
        // A thread inherits what is blocked where it is started.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP] { sigdelset(&all, signal) }
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runBody, body.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private static let runBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }
}
