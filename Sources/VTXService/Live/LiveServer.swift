import VTXHTTP
package import VTXSystem

/// A web server for the live playlists of a directory (HLS). Players of low latency need one that answers when the next
/// part exists.
package final class LiveServer: Sendable {
    /// As configured, absolute.
    package var directory: String { files.root }
    /// The actual port.
    package let port: UInt16
    private let files: LiveFiles
    private let waiting: WaitingRequests
    private let server: HTTPServer

    /// - Parameter targetDurations: How long a request waits at most (RFC 8216bis, 6.2.5.2).
    /// - Throws: `Problem` for the directory, or `SystemError`.
    package init(_ directory: String, _ listen: ListenAddress, targetDurations: Double = 3) throws {
        files = try LiveFiles(directory, targetDurations: targetDurations)
        OpenFileLimit.raise(to: 2 * UInt64(Self.connectionLimit))
        let listener = try listen.listen()
        port = ListenAddress.port(of: listener)
        waiting = try WaitingRequests(files)
        try waiting.start()
        server = try HTTPServer(listener, Self.settings, LiveHandler(waiting: waiting, isLocal: listen.isLoopback))
        ServiceManager.isReady()
    }

    /// The number of requests that wait.
    package var waitingCount: Int { waiting.count }

    /// Answers the requests that wait, and closes the connections.
    package func stop() {
        ServiceManager.isStopping()
        server.stop()
        waiting.stop()
    }

    private static let connectionLimit: UInt32 = 2000

    private static var settings: HTTPServer.Settings {
        var settings = HTTPServer.Settings()
        settings.connectionLimit = connectionLimit
        // Many players have one address: that of their router or of a reverse proxy.
        settings.addressConnectionLimit = connectionLimit
        settings.quickThreads = 8
        (settings.slowThreads, settings.uploadThreads) = (1, 1)
        return settings
    }
}

/// Answers with files, for `GET` and `HEAD`.
struct LiveHandler: HTTPHandler {
    let waiting: WaitingRequests
    /// Whether only programs on this host can reach the listener. Pages of other sites in a browser on this host are none
    /// of them.
    let isLocal: Bool

    func begin(_ request: HTTPRequest) -> HTTPReception {
        guard ["GET", "HEAD"].contains(request.method) else {
            var problem = Problem(405, "request.method", "'\(request.path)' takes GET, HEAD")
            problem.headers = [("Allow", "GET, HEAD")]
            return .refused(problem.response.published(for: origin(request)))
        }
        return .memory(limit: 0, .quick)
    }

    func answer(_ request: HTTPRequest, _ reply: HTTPReply) {
        let origin = origin(request)
        do throws(Problem) {
            try checkHost(request)
            waiting.take(try LiveRequest(request, origin: origin), reply)
        } catch { reply.send(error.response.published(for: origin)) }
    }

    /// Returns the origin whose pages may read the response.
    private func origin(_ request: HTTPRequest) -> String? {
        guard isLocal else { return "*" }
        let origin = request.header("origin")
        let name = origin.flatMap(Gate.name(ofOrigin:)).flatMap(Gate.name(ofAuthority:))
        return name.map { ["localhost", "127.0.0.1", "::1"].contains($0) } == true ? origin : nil
    }

    /// Checks the host name, against DNS rebinding.
    private func checkHost(_ request: HTTPRequest) throws(Problem) {
        guard isLocal, let host = request.header("host").flatMap(Gate.name(ofAuthority:)) else { return }
        guard host != "localhost", !Gate.isAddress(host) else { return }
        throw Problem(
            403, "host.unknown", "this server does not accept the host name '\(host)'",
            hint: "a reverse proxy sends this server's address as Host; another address in 'listen' allows all names")
    }
}
