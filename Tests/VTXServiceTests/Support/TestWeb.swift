import VTXHTTP
import VTXSystem
import VTXTestHTTP

/// A web server for the service's downloads, uploads and callbacks.
final class TestWeb: Sendable {
    private let server: TestServer
    private let requests = BoundedQueue<HTTPRequest>(capacity: 100)

    /// - Parameter answers: consecutive responses; the last one is repeated.
    init(_ answers: HTTPResponse...) throws {
        let rest = Locked(answers)
        server = try TestServer(
            TestHandler { [requests] request in
                try? requests.push(request)
                return rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? HTTPResponse(404) }
            })
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    /// Waits for the next one.
    func request() throws -> HTTPRequest? { try requests.pop(timeoutSeconds: 60) }
}

extension HTTPResponse {
    static func page(_ text: String) -> HTTPResponse { HTTPResponse(200, "video/mp4", text) }

    static func redirect(_ place: String) -> HTTPResponse {
        HTTPResponse(302, "text/plain", "this is no clip", headers: [("Location", place)])
    }
}
