import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

@Suite("The worker's end of the channel")
struct WorkerChannelTests {
    /// The events of a worker with these input lines.
    private func serve(
        _ lines: String..., work: (WorkerOrder, WorkerChannel, Cancellation) throws(TranscodeError) -> WorkerEvent
    ) throws -> [WorkerEvent] {
        try events(of: lines) { $0.serve(work) }
    }

    private func events(of lines: [String], _ serve: (WorkerChannel) -> Void) throws -> [WorkerEvent] {
        let orders = try Pipe()
        let events = try Pipe()
        try orders.writing.writeAll(lines.map { $0 + "\n" }.joined())
        // The worker's thread reads until the pipe closes, which is at the end of the test.
        let reading = try FileDescriptor(duplicating: orders.reading.number).release()
        _ = try FileDescriptor(duplicating: orders.writing.number).release()
        let channel = WorkerChannel(orders: reading, events: events.writing.number)
        serve(channel)
        events.reading.makeNonBlocking()
        guard case .bytes(let bytes) = try events.reading.readAvailable() else { return [] }
        var splitter = LineSplitter(longest: 1 << 20)
        return try splitter.add(bytes).map { try JSONLine.value(WorkerEvent.self, from: $0) }
    }

    private static let order = String(JSONLine.text(WorkerOrder(.versions)).dropLast())

    @Test("a worker gets its order, and its last event ends the task")
    func order() throws {
        let events = try serve(Self.order) { order, channel, _ in
            #expect(order.task == .versions)
            channel.send(.log("words"))
            return .done
        }
        #expect(events == [.log("words"), .done])
    }

    @Test("an error is the last event")
    func error() throws {
        let error = TranscodeError(.inputNotFound, "gone", hint: "look for it")
        #expect(try serve(Self.order) { _, _, _ throws(TranscodeError) in throw error } == [.failed(error)])
    }

    @Test(
        "an invalid order is an error",
        arguments: ["", "{}", "{\"task\":{\"fly\":true},\"driverFailures\":[],\"reportsLog\":false}"])
    func noOrder(line: String) throws {
        let events = try serve(line) { _, _, _ in .done }
        guard case .failed(let error)? = events.last else { throw TranscodeError(.internal, "\(events)") }
        #expect(error.kind == .internal)
    }

    @Test("a task on one thread has its order and events")
    func oneThread() throws {
        let events = try events(of: [Self.order]) { channel in
            channel.serveOnOneThread { order, channel in
                channel.send(.log("\(order.task == .versions)"))
                return .done
            }
        }
        #expect(events == [.log("true"), .done])
    }

    @Test("a cancel line cancels")
    func cancel() throws {
        let reason = Locked<Cancellation.Reason?>(nil)
        let isCancelled = BoundedQueue<Void>(capacity: 1)
        _ = try serve(Self.order, "{\"cancel\":\"interrupted\"}") { _, _, cancellation in
            cancellation.onCancel { try? isCancelled.push(()) }
            _ = try? isCancelled.pop()
            reason.withLock { $0 = cancellation.reason }
            return .done
        }
        #expect(reason.withLock(\.self) == .interrupted)
    }

    @Test("only progress is dropped if it is not read")
    func slowReader() throws {
        let events = try Pipe()
        let channel = WorkerChannel(orders: -1, events: events.writing.number)
        let progress = WorkerEvent.transcode(
            .progress(
                Progress(
                    phase: .transcoding, frames: 1, totalFrames: nil, seconds: 0, totalSeconds: nil, elapsedSeconds: 1,
                    bytes: 1)))
        // More than a pipe's capacity; a write that waits would wait forever.
        for _ in 0..<20_000 { channel.send(progress) }
        #expect(!Poll.has(.writable(events.writing.number)))
    }
}
