import Glibc
package import VTXSystem
package import VTXTask

/// A worker as seen by its owner: a child process with a pipe for orders and a pipe for events.
///
/// Orders and events are lines of JSON. Closing the pipe for orders tells the worker that its owner is gone. Lines that
/// are not events are ignored, because drivers may print anything. This process must ignore SIGPIPE.
package struct WorkerProcess: ~Copyable {
    private var process: Subprocess
    private var orders: FileDescriptor?
    private let events: FileDescriptor
    private var lines = LineSplitter(longest: 64 << 20)
    private var isEventsOpen = true

    /// Starts a worker and sends its order.
    package init(_ launch: Launch, _ order: WorkerOrder) throws(SystemError) {
        let orders = try Pipe()
        let events = try Pipe()
        let numbers = [orders.reading.number, events.writing.number]
        var launch = launch
        launch.arguments += numbers.map(String.init)
        process = try Subprocess(launch, keeping: numbers)
        self.orders = orders.takeWriting()
        self.events = events.takeReading()
        self.events.makeNonBlocking()
        // A worker that dies before reading it is detected by its exit.
        send(JSONLine.text(order))
    }

    package var identifier: Int32 { process.identifier }

    /// The descriptor to poll; nil once there is nothing more to read.
    package var readable: Int32? { isEventsOpen ? events.number : nil }

    /// Returns the pending events without waiting.
    package mutating func receive() -> [WorkerEvent] {
        var received: [WorkerEvent] = []
        while isEventsOpen {
            switch try? events.readAvailable(upTo: 1 << 16) {
            case .bytes(let bytes):
                received += lines.add(bytes).compactMap { try? JSONLine.value(WorkerEvent.self, from: $0) }
            case .nothingYet: return received
            case .end, nil: isEventsOpen = false
            }
        }
        return received
    }

    /// Asks the worker to stop.
    package func cancel(_ reason: Cancellation.Reason) { send(JSONLine.text(WorkerCancellation(cancel: reason))) }

    /// Tells the worker that its owner is gone.
    package mutating func closeOrders() { orders = nil }

    private func send(_ line: String) { try? orders?.writeAll(line) }

    package mutating func kill() { process.kill() }

    /// Returns how it ended, without waiting; nil while it is running.
    package mutating func reap() -> ProcessEnding? { process.reap() }

    package var ending: ProcessEnding? { process.ending }

    /// Returns a descriptor that becomes readable once it has exited.
    func openEnd() throws(SystemError) -> FileDescriptor { try process.openEnd() }
}

extension Launch {
    /// - Throws: if there is none.
    package static func worker() throws(SystemError) -> Launch {
        var launch = try Launch.installed("vtx-worker")
        // The worker receives stops as commands; a terminal also sends these signals to it.
        launch.blockedSignals = [SIGINT, SIGTERM, SIGHUP]
        return launch
    }
}
