import Glibc
import VTXMedia
import VTXSystem
package import VTXTask

/// The worker's connection to its owner: receives orders, sends events.
package final class WorkerChannel: Sendable {
    private let orders: Int32
    private let events: Int32
    /// Bytes of orders that have not been parsed yet.
    private let received = Locked<[UInt8]>([])
    private let line = Locked(())

    /// - Parameters: Open descriptors, which stay open as long as the process.
    init(orders: Int32, events: Int32) {
        (self.orders, self.events) = (orders, events)
        // Child processes must not inherit them, and a suspended owner must not block the work.
        for number in [orders, events] where number > STDERR_FILENO { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(events, F_SETFL, fcntl(events, F_GETFL) | O_NONBLOCK)
    }

    /// The channel of a process started by `WorkerProcess`, whose arguments are the descriptors' numbers; else standard
    /// input and output.
    package static var inherited: WorkerChannel {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int32.init)
        guard numbers.count == 2 else { return WorkerChannel(orders: STDIN_FILENO, events: STDOUT_FILENO) }
        return WorkerChannel(orders: numbers[0], events: numbers[1])
    }

    /// Reads the order, runs it, and reports the last event.
    package func serve(
        _ work: (WorkerOrder, WorkerChannel, Cancellation) throws(TranscodeError) -> WorkerEvent
    ) {
        report { order throws(TranscodeError) in
            let cancellation = Cancellation { [orders] in !Poll.isHungUp(orders) }
            do throws(SystemError) { try observe(cancellation) } catch {
                throw TranscodeError(.workerStart, "\(error)")
            }
            return try work(order, self, cancellation)
        }
    }

    /// Runs work that cannot be stopped from within: the process exits when its owner sends a command or is gone.
    ///
    /// No thread waits for the kernel's signal. In a process with one thread, the descriptor table grows immediately;
    /// with two, the kernel waits for all processors each time (`synchronize_rcu`), for 10 ms and more.
    package func serveOnOneThread(
        _ work: (WorkerOrder, WorkerChannel) throws(TranscodeError) -> WorkerEvent
    ) {
        report { order throws(TranscodeError) in
            endWithOwner()
            return try work(order, self)
        }
    }

    private func report(_ work: (WorkerOrder) throws(TranscodeError) -> WorkerEvent) {
        do throws(TranscodeError) {
            let order = try readOrder()
            // Before there are other threads.
            try order.enterSandbox()
            send(try work(order))
        } catch {
            send(.failed(error))
        }
    }

    /// Makes a thread that crashes the process first report what it was doing.
    package func noteCrashes() { CrashNote.writeAll(to: events) }

    /// Returns the text of an event that may follow an incomplete line.
    package static func text(ofLast event: WorkerEvent) -> String { "\n" + JSONLine.text(event) }

    /// Waits for the order.
    ///
    /// - Throws: `.internal` if there is none, or it cannot be parsed.
    private func readOrder() throws(TranscodeError) -> WorkerOrder {
        guard let line = nextLine() else { throw TranscodeError(.internal, "the worker was given no task") }
        do { return try JSONLine.value(WorkerOrder.self, from: line) } catch {
            if let error = error as? TranscodeError { throw error }
            throw TranscodeError(.internal, "the worker was given a task that it does not know: \(error)")
        }
    }

    /// Forwards the owner's request to stop. If the owner is gone, ends the process after a delay, because nothing
    /// could monitor or stop it any more.
    private func observe(_ cancellation: Cancellation) throws(SystemError) {
        try Thread("orders") { [self] in
            while let line = nextLine() {
                if let request = try? JSONLine.value(WorkerCancellation.self, from: line) {
                    cancellation.cancel(request.cancel)
                }
            }
            cancellation.cancel(.terminated)
            // A regular exit may wait for a driver that hangs.
            Poll.wait(for: [], seconds: 10)
            _exit(1)
        }.detach()
    }

    /// Ends the process when the owner writes or exits (C: `fcntl(F_SETOWN)` and `O_ASYNC`, whose unhandled SIGIO ends
    /// a process).
    private func endWithOwner() {
        signal(SIGIO, SIG_DFL)
        _ = fcntl(orders, F_SETOWN, getpid())
        _ = fcntl(orders, F_SETFL, fcntl(orders, F_GETFL) | O_ASYNC)
        // Earlier data is not signaled.
        if Poll.has(.readable(orders)) { _exit(1) }
    }

    /// Sends an event. Progress is dropped if the owner does not read; other events wait.
    package func send(_ event: WorkerEvent) {
        let text = JSONLine.text(event)
        line.withLock { _ in
            // A writable pipe accepts this many bytes without blocking.
            if event.isDispensable, text.utf8.count <= Int(PIPE_BUF), !Poll.has(.writable(events)) { return }
            try? FileDescriptor.writeAll(Array(text.utf8).span.bytes, to: events)
        }
    }

    /// Waits for a line; nil at the end. One thread at a time may call it.
    private func nextLine() -> String? {
        received.withLock { received in
            while true {
                if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { received.removeSubrange(...end) }
                    return String(decoding: received[..<end], as: UTF8.self)
                }
                guard let bytes = try? FileDescriptor.read(upTo: 1 << 16, from: orders), !bytes.isEmpty else {
                    return nil
                }
                received += bytes
            }
        }
    }
}
