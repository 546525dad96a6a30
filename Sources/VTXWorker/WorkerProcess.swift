import Glibc
package import VTXSystem
package import VTXTask

/// A worker, seen by its owner: a child process with a pipe for orders and a pipe for events.
///
/// Orders and events are lines of JSON. The end of the pipe for orders tells the worker that its owner is gone. Lines
/// that are not events are skipped: a driver may print anything anywhere. This process has to ignore SIGPIPE.
package struct WorkerProcess: ~Copyable {
    private var process: Subprocess
    private var orders: FileDescriptor?
    private let events: FileDescriptor
    private var lines = LineSplitter(longest: 64 << 20)
    private var isEventsOpen = true

    /// Starts a worker and tells it what to do.
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
        // A worker that dies before it reads this says so by its death.
        send(JSONLine.text(order))
    }

    package var identifier: Int32 { process.identifier }

    /// To wait for; nil once there is nothing more to read.
    package var readable: Int32? { isEventsOpen ? events.number : nil }

    /// The events that have come; never waits.
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

    /// Asks it to end.
    package func cancel(_ reason: Cancellation.Reason) { send(JSONLine.text(WorkerCommand(cancel: reason))) }

    /// Tells it that it has no owner any more.
    package mutating func closeOrders() { orders = nil }

    private func send(_ line: String) { try? orders?.writeAll(line) }

    package mutating func kill() { process.kill() }

    /// How it ended; nil while it runs. Never waits.
    package mutating func reap() -> ProcessEnding? { process.reap() }

    package var ending: ProcessEnding? { process.ending }

    /// A descriptor that can be read once it has ended.
    func openEnd() throws(SystemError) -> FileDescriptor { try process.openEnd() }
}

extension Launch {
    /// - Throws: where there is none.
    package static func worker() throws(SystemError) -> Launch {
        var launch = try Launch.installed("vtx-worker")
        // It hears of them by its orders; a terminal sends them to it as well.
        launch.blockedSignals = [SIGINT, SIGTERM, SIGHUP]
        return launch
    }
}
