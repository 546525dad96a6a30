import Glibc
package import VTXHTTP
import VTXSystem

/// A server with the test's handler, on its own port.
package final class TestServer: Sendable {
    private let server: HTTPServer
    package let port: UInt16

    package init(_ handler: any HTTPHandler, _ settings: HTTPServer.Settings = .init()) throws {
        let listener = try ListenAddress("127.0.0.1:0")!.listen()
        port = ListenAddress.port(of: listener)
        server = try HTTPServer(listener, settings, handler)
    }

    deinit { server.stop() }

    package func stop() { server.stop() }
    package var connectionCount: Int { server.connectionCount }

    package func connect() throws -> TestConnection { try TestConnection(port) }

    /// Sends one request on a new connection. - Returns: status line, headers and body.
    package func ask(_ request: String) throws -> String {
        let connection = try connect()
        try connection.send(request)
        return connection.readToEnd()
    }
}

/// A client that can send invalid requests.
package final class TestConnection: Sendable {
    private let descriptor: FileDescriptor

    package init(_ port: UInt16) throws {
        descriptor = FileDescriptor(owning: socket(AF_INET, SocketType.stream, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError("connect", errno) }
    }

    package func send(_ text: String) throws { try descriptor.writeAll(text.replacing("\n", with: "\r\n")) }

    /// Shuts down both directions.
    package func close() { shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    package func send(raw bytes: [UInt8]) throws { try descriptor.writeAll(bytes.span.bytes) }

    package func readToEnd() -> String {
        var bytes: [UInt8] = []
        while let more = try? descriptor.read(upTo: 65536), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the text ends with `end`.
    package func read(to end: String) -> String {
        var text = ""
        while !text.hasSuffix(end), let more = try? descriptor.read(upTo: 1), !more.isEmpty {
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }
}

/// Handles requests with closures.
package struct TestHandler: HTTPResponder {
    package var reception: @Sendable (HTTPRequest) -> HTTPReception
    package var answer: @Sendable (HTTPRequest) -> HTTPResponse

    package init(
        reception: @escaping @Sendable (HTTPRequest) -> HTTPReception = { _ in .memory(limit: 1000, .quick) },
        answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
        (self.reception, self.answer) = (reception, answer)
    }

    package func begin(_ request: HTTPRequest) -> HTTPReception { reception(request) }
    package func respond(to request: HTTPRequest) -> HTTPResponse { answer(request) }
}
