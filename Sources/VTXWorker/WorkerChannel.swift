import Glibc
import VTXMedia
import VTXSystem
package import VTXTask

/// The worker's end: where orders come from and events go.
package final class WorkerChannel: Sendable {
    private let orders: Int32
    private let events: Int32
    /// Bytes of orders that nothing has taken yet.
    private let received = Locked<[UInt8]>([])
    private let line = Locked(())

    /// - Parameters: open descriptors, which stay open as long as the process.
    init(orders: Int32, events: Int32) {
        (self.orders, self.events) = (orders, events)
        // Neither is for what this process starts, and an owner that was stopped must not stop the work.
        for number in [orders, events] where number > STDERR_FILENO { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(events, F_SETFL, fcntl(events, F_GETFL) | O_NONBLOCK)
    }

    /// Of a process that `WorkerProcess` started: its arguments are the descriptors' numbers. Standard input and output
    /// elsewhere.
    package static var inherited: WorkerChannel {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int32.init)
        guard numbers.count == 2 else { return WorkerChannel(orders: STDIN_FILENO, events: STDOUT_FILENO) }
        return WorkerChannel(orders: numbers[0], events: numbers[1])
    }

    /// Reads the order, has it done, and reports the last event.
    package func serve(
        _ work: (WorkerOrder, WorkerChannel, Cancellation) throws(TranscodeError) -> WorkerEvent
    ) {
        report { order throws(TranscodeError) in
            let cancellation = Cancellation()
            do throws(SystemError) { try obey(cancellation) } catch { throw TranscodeError(.workerStart, "\(error)") }
            return try work(order, self, cancellation)
        }
    }

    /// The same for work that cannot be stopped from within: the process ends when its owner has something to say, or is
    /// gone.
    ///
    /// The kernel's signal is waited for by no thread. While a process has one thread, its table of descriptors grows
    /// at once; with two, the kernel waits for all processors each time (`synchronize_rcu`), 10 ms and more.
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

    /// Has a thread that ends this process say first what it was at.
    package func noteCrashes() { CrashNote.writeAll(to: events) }

    /// The event's line, for a moment in which another one may be half written.
    package static func text(ofLast event: WorkerEvent) -> String { "\n" + JSONLine.text(event) }

    /// Waits for the order.
    ///
    /// - Throws: `.internal` where there is none, or none that is understood.
    private func readOrder() throws(TranscodeError) -> WorkerOrder {
        guard let line = nextLine() else { throw TranscodeError(.internal, "the worker was given no task") }
        do { return try JSONLine.value(WorkerOrder.self, from: line) } catch {
            if let error = error as? TranscodeError { throw error }
            throw TranscodeError(.internal, "the worker was given a task that it does not know: \(error)")
        }
    }

    /// Passes on the owner's request to stop. Where the owner is gone, ends the process some time later: nothing could see
    /// what it does, or stop it.
    private func obey(_ cancellation: Cancellation) throws(SystemError) {
        try Thread("orders") { [self] in
            while let line = nextLine() {
                if let command = try? JSONLine.value(WorkerCommand.self, from: line) {
                    cancellation.cancel(command.cancel)
                }
            }
            cancellation.cancel(.terminated)
            // The usual end may wait for a driver that does not answer.
            Poll.wait(for: [], seconds: 10)
            _exit(1)
        }.detach()
    }

    /// C: `fcntl(F_SETOWN)` and `O_ASYNC`, whose SIGIO ends a process that does not expect it.
    private func endWithOwner() {
        signal(SIGIO, SIG_DFL)
        _ = fcntl(orders, F_SETOWN, getpid())
        _ = fcntl(orders, F_SETFL, fcntl(orders, F_GETFL) | O_ASYNC)
        // What came before that is not signalled.
        if Poll.has(.readable(orders)) { _exit(1) }
    }

    /// Progress is left out where the owner does not read; everything else waits for it.
    package func send(_ event: WorkerEvent) {
        let text = JSONLine.text(event)
        line.withLock { _ in
            // A pipe that can be written takes this many bytes at once.
            if event.isDispensable, text.utf8.count <= Int(PIPE_BUF), !Poll.has(.writable(events)) { return }
            try? FileDescriptor.writeAll(Array(text.utf8).span.bytes, to: events)
        }
    }

    /// Waits for a line; nil at the end. One thread at a time does so.
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
