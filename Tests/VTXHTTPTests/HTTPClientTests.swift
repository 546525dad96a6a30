import Glibc
import Testing
import VTXHTTP
import VTXSystem
import VTXTestHTTP

@Suite("The HTTP client")
struct HTTPClientTests {
    private let server: TestServer
    private let client = HTTPClient()

    init() throws {
        server = try TestServer(
            TestHandler { request in
                switch request.path {
                case "/large": HTTPResponse(200, "text/plain", String(repeating: "x", count: 100_000))
                case "/teapot": HTTPResponse(418, headers: [("X-Kind", "brown betty")])
                case "/away": HTTPResponse(302, headers: [("Location", "http://169.254.169.254/")])
                default:
                    HTTPResponse(
                        200, "text/plain",
                        "\(request.method) \(request.header("x-test") ?? "-") \(String(decoding: request.body, as: UTF8.self))"
                    )
                }
            })
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    @Test("sends method, headers and body", arguments: ["GET", "POST", "PUT", "DELETE", "PATCH"])
    func methods(method: String) throws {
        var request = HTTPClient.Request(method, url("/x"))
        request.headers = [("X-Test", "yes")]
        if ["POST", "PUT", "PATCH"].contains(method) { request.body = Array("hello".utf8) }
        let response = try client.send(request)
        #expect(response.status == 200)
        #expect(
            String(decoding: response.body, as: UTF8.self) == "\(method) yes \(request.body.isEmpty ? "" : "hello")")
    }

    @Test("sends a file, and returns the response's status and headers")
    func file() throws {
        let file = try UnnamedFile()
        let writer = try FileDescriptor(opening: file.path, O_RDWR)
        try writer.writeAll("from a file")
        var request = HTTPClient.Request("PUT", url("/x"))
        request.file = SharedFile(writer)
        #expect(String(decoding: try client.send(request).body, as: UTF8.self) == "PUT - from a file")
        let teapot = try client.send(.init("GET", url("/teapot")))
        #expect(teapot.status == 418 && teapot.headers["x-kind"] == "brown betty")
    }

    @Test("ends if the response is too large, the reader stops, or it is cancelled")
    func limits() throws {
        var request = HTTPClient.Request("GET", url("/large"))
        request.limit = 5000
        #expect { try client.send(request) } throws: { ($0 as? HTTPClientError)?.isTooLarge == true }
        request.limit = 1 << 20
        var seen = 0
        #expect(throws: HTTPClientError.self) {
            try client.send(
                request,
                receive: { bytes in
                    seen += bytes.byteCount
                    return false
                })
        }
        #expect(seen > 0 && seen < 100_000)
        #expect { try client.send(request, isCancelled: { true }) } throws: {
            ($0 as? HTTPClientError)?.isCancelled == true
        }
    }

    @Test("follows no redirect automatically")
    func redirects() throws { #expect(try client.send(.init("GET", url("/away"))).status == 302) }

    @Test(
        "connects to no private address if only public ones are allowed",
        arguments: ["127.0.0.1", "localhost", "[::1]"])
    func privateAddresses(host: String) throws {
        var request = HTTPClient.Request("GET", "http://\(host):\(server.port)/x")
        request.addresses = .publicOnly
        #expect { try client.send(request) } throws: { ($0 as? HTTPClientError)?.isForbidden == true }
    }

    @Test(
        "supports no other protocol",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/x", "dict://x/"])
    func protocols(url: String) { #expect(throws: HTTPClientError.self) { try client.send(.init("GET", url)) } }
}

@Suite("Public addresses")
struct AddressPolicyTests {
    @Test(
        "are not those of this host, its network, the link, or documents",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.51.100.7", "::", "::1", "fe80::1", "fc00::1", "fd12::1",
            "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
            "2001:0:1::",
        ])
    func special(text: String) { #expect(AddressPolicy.isPublic(text) == false) }

    @Test(
        "are the others",
        arguments: [
            "1.1.1.1", "172.32.0.1", "192.167.1.1", "100.128.0.1", "2606:4700::1111", "2002:101:101::",
            "::ffff:1.1.1.1",
        ])
    func ordinary(text: String) { #expect(AddressPolicy.isPublic(text) == true) }
}
