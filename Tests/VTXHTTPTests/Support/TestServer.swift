import Glibc
import VTXHTTP
import VTXSystem

/// A server with a handler of the test's, on a port of its own.
final class TestServer: Sendable {
    private let server: HTTPServer
    let port: UInt16

    init(_ handler: any HTTPHandler, _ settings: HTTPServer.Settings = .init()) throws {
        let listener = try ListenAddress("127.0.0.1:0")!.listen()
        port = ListenAddress.port(of: listener)
        server = try HTTPServer(listener, settings, handler)
    }

    deinit { server.stop() }

    func stop() { server.stop() }
    var connectionCount: Int { server.connectionCount }

    func connect() throws -> TestConnection { try TestConnection(port) }

    /// One request on a connection of its own: status line, headers and body.
    func ask(_ request: String) throws -> String {
        let connection = try connect()
        try connection.send(request)
        return connection.readToEnd()
    }
}

/// A client that sends what a test wants, however wrong it is.
final class TestConnection: Sendable {
    private let descriptor: FileDescriptor

    init(_ port: UInt16) throws {
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

    func send(_ text: String) throws { try descriptor.writeAll(text.replacing("\n", with: "\r\n")) }

    func send(raw bytes: [UInt8]) throws { try descriptor.writeAll(bytes.span.bytes) }

    func readToEnd() -> String {
        var bytes: [UInt8] = []
        while let more = try? descriptor.read(upTo: 65536), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the text ends so.
    func read(to end: String) -> String {
        var text = ""
        while !text.hasSuffix(end), let more = try? descriptor.read(upTo: 1), !more.isEmpty {
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }
}

/// Answers by closures.
struct TestHandler: HTTPHandler {
    var reception: @Sendable (HTTPRequest) -> HTTPReception = { _ in .memory(limit: 1000, .quick) }
    var answer: @Sendable (HTTPRequest) -> HTTPResponse

    func begin(_ request: HTTPRequest) -> HTTPReception { reception(request) }
    func respond(to request: HTTPRequest) -> HTTPResponse { answer(request) }
}
