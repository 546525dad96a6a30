import CMicroHTTPD
import Glibc
import VTXSystem

/// A request and its response.
///
/// Unchecked: the server's thread and the answering thread access it in turn; it is handed over by a queue and by
/// suspending and resuming the connection.
final class Exchange: @unchecked Sendable {
    enum Next {
        case more
        /// The response is ready.
        case respond(HTTPResponse)
        /// The request is complete and needs an answer.
        case answer(HTTPLane)
        case close
    }

    let connection: OpaquePointer
    private let uri: String
    private(set) var request: HTTPRequest?
    private var reception: HTTPReception?
    private var refusal: HTTPResponse?
    private var discarded = 0
    private var isAnswering = false
    var response: HTTPResponse?

    /// How much of a rejected body is read, so that the client reads the reason.
    private static let discardLimit = 1 << 20

    init(_ connection: OpaquePointer, _ uri: String) {
        self.connection = connection
        self.uri = uri
    }

    /// Call it when the head has arrived.
    func begin(_ method: String, _ handler: any HTTPHandler) -> Next {
        var request = HTTPRequest(method: method, uri: uri, headers: headers(), address: address())
        request.certificateName = certificateName()
        self.request = request
        let reception = handler.begin(request)
        self.reception = reception
        if case .refused(let response) = reception { refusal = response }
        if case .sink(let sink) = reception { self.request?.sink = sink }
        let length = request.header("content-length").flatMap { Int($0) } ?? 0
        if case .memory(let limit, _) = reception, length > limit { refusal = .tooLarge(limit) }
        if let refusal, length > Self.discardLimit { return .respond(refusal) }
        return .more
    }

    /// The timeout for a small body; none for an upload.
    var bodySeconds: Double? { if case .sink = reception { nil } else { 30 } }

    /// Takes a part of the body.
    func receive(_ bytes: RawSpan) -> Next {
        guard refusal == nil else {
            discarded += bytes.byteCount
            return discarded > Self.discardLimit ? .close : .more
        }
        switch reception {
        case .memory(let limit, _):
            if (request?.body.count ?? 0) + bytes.byteCount > limit {
                refusal = .tooLarge(limit)
                request?.body = []
            } else {
                request?.body.append(bytes)
            }
        case .sink(let sink): refusal = sink.take(bytes)
        case .refused, nil: break
        }
        return .more
    }

    /// Call it when the request is complete, or the connection was resumed.
    func next() -> Next {
        if let response { return .respond(response) }
        if let refusal { return .respond(refusal) }
        guard !isAnswering else { return .close }
        isAnswering = true
        if case .memory(_, let lane) = reception { return .answer(lane) }
        return .answer(.upload)
    }

    /// No thread will answer.
    func dismiss() { if case .sink(let sink) = reception { sink.abandoned() } }

    func ended() {
        if case .sink(let sink) = reception, !isAnswering { sink.abandoned() }
        if case .stream(let stream) = response?.body { stream.closed() }
    }
}

// MARK: Properties of the connection

extension Exchange {
    private func headers() -> [String: [String]] {
        let list = HeaderList()
        MHD_get_connection_values(
            connection, .HEADER_KIND,
            { list, _, name, value in
                guard let list, let name else { return .YES }
                let headers = Unmanaged<HeaderList>.fromOpaque(list).takeUnretainedValue()
                headers.values[String(cString: name).lowercased(), default: []].append(
                    value.map { String(cString: $0) } ?? "")
                return .YES
            }, Unmanaged.passUnretained(list).toOpaque())
        return list.values
    }

    private final class HeaderList { var values: [String: [String]] = [:] }

    private func address() -> String {
        guard let address = http_client_address(connection) else { return "" }
        return IPAddress.text(of: address) ?? "local"
    }

    private func certificateName() -> String? {
        CText.read(upTo: 256) { http_client_certificate(connection, $0, $1) != 0 }
    }
}
