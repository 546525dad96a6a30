import Testing
import VTXHTTP
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Event streams")
struct EventStreamTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test("a stop with open event streams ends them, also those that reconnect", arguments: 0..<3)
    func stopped(round: Int) throws {
        let service = try TestService(directory)
        let group = ThreadGroup()
        for _ in 0..<8 {
            group.run("client") { while (try? service.send("GET", "/v1/events")) != nil {} }
        }
        while try listeners(service) < 8 {}
        service.stop()
        try group.wait()
    }

    private func listeners(_ service: TestService) throws -> Int {
        let text = String(decoding: try service.send("GET", "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("vtx_event_listeners ") }
        return Int(line?.split(separator: " ").last ?? "") ?? 0
    }

    @Test("the number of an event that is not there yet is another state's: the stream begins with the first event")
    func otherState() throws {
        let service = try TestService(directory)
        _ = try service.ended(try service.submit(try directory.write("clip", to: "media/in.mp4")))
        for (last, first) in [(0, 1), (1, 2), (1_000_000, 1)] {
            #expect(try firstNumber(service, after: last) == first)
        }
    }

    /// Returns the number of a stream's first event.
    private func firstNumber(_ service: TestService, after last: Int) throws -> Int? {
        var request = HTTPClient.Request("GET", "http://127.0.0.1:\(service.service.port)/v1/events")
        request.headers = [("Last-Event-ID", String(last))]
        request.timeout = 60
        var text = ""
        let receive = { (bytes: RawSpan) in
            text += String(decoding: Array(copying: bytes), as: UTF8.self)
            return !text.contains("data: ")
        }
        _ = try? HTTPClient().send(request, receive: receive)
        let line = text.split(separator: "\n").first { $0.hasPrefix("id: ") }
        return line.flatMap { Int($0.dropFirst(4)) }
    }

    @Test("a stream that a client opens after the end of all streams has ended")
    func late() throws {
        let store = try SQLiteStore(path: directory.file("vtx.db"))
        defer { store.close() }
        let hub = EventHub(store)
        let early = try hub.listen(to: nil, after: nil)
        #expect(early.send("data: 1\n\n"))
        hub.endAll()
        let late = try hub.listen(to: nil, after: 0)
        #expect(!early.send("data: 2\n\n") && !late.send("data: 2\n\n"))
    }
}
