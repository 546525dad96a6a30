import Testing
import VTXHTTP

@Suite("Events of a stream")
struct ServerSentEventsTests {
    @Test("events are complete, with any chunks", arguments: [1, 3, 1000])
    func events(pieceLength: Int) {
        let text =
            "retry: 2000\n\n: ping\n\nid: 7\nevent: job\ndata: {\"state\":\"running\"}\n\nevent: progress\ndata: {}\n\nid: 8\n"
        let bytes = Array(text.utf8)
        var parser = ServerSentEvents()
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            events += parser.add(Array(bytes[start..<min(start + pieceLength, bytes.count)]))
        }
        #expect(
            events == [
                ServerSentEvent(id: 7, type: "job", data: #"{"state":"running"}"#),
                ServerSentEvent(id: nil, type: "progress", data: "{}"),
            ])
    }
}
