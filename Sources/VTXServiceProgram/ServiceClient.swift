import Glibc
import VTXCommand
import VTXHTTP
import VTXJSON
import VTXSystem

/// Connects to a service.
struct ServiceClient: Sendable {
    private let server: String
    private let token: String?
    private let authorities: String?
    private let certificate: (file: String, key: String)?
    let client = HTTPClient()

    init(_ options: ClientOptions) throws(ServiceError) {
        let environment = { (name: String) in getenv(name).map { String(cString: $0) } }
        let url = options.server ?? environment("VTX_SERVER") ?? "http://127.0.0.1:8080"
        server = url.hasSuffix("/") ? String(url.dropLast()) : url
        authorities = options.authorityFile ?? environment("VTX_CA_FILE")
        let file = options.certificateFile ?? environment("VTX_CLIENT_CERT")
        certificate = file.map { ($0, options.keyFile ?? environment("VTX_CLIENT_KEY") ?? $0) }
        for path in [certificate?.file, certificate?.key].compactMap(\.self) where TextFile.read(path) == nil {
            throw ServiceError(.usage, "tls.file", "the file '\(path)' cannot be read")
        }
        let path = options.tokenFile ?? environment("VTX_TOKEN_FILE")
        token = try path.map { path throws(ServiceError) in try TokenFile.read(path) }
    }

    /// - Returns: the JSON of a successful response.
    func ask(
        _ method: String, _ path: String, body: JSONValue? = nil, headers: [(name: String, value: String)] = []
    ) throws(ServiceError) -> JSONValue {
        var request = request(method, path)
        request.limit = 64 << 20
        request.headers += headers
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = Array(body.text.utf8)
        }
        return try answered(request)
    }

    func answered(_ request: HTTPClient.Request) throws(ServiceError) -> JSONValue {
        let response = try send(request)
        guard (200...299).contains(response.status) else { throw Self.error(response) }
        guard let value = try? JSONValue(parsing: response.body) else {
            throw unreachable("the server is not a vtx service")
        }
        return value
    }

    /// Receives events until the closure returns false or the server ends the stream.
    func listen(_ path: String, after last: Int64, _ receive: @escaping (ServerSentEvent) -> Bool)
        throws(ServiceError)
    {
        var request = request("GET", path)
        request.headers.append(("Last-Event-ID", String(last)))
        (request.timeout, request.stallTimeout, request.limit) = (0, 60, .max)
        var (parser, isDone, body) = (ServerSentEvents(), false, ResponseStart())
        let take: (RawSpan) -> Bool = { bytes in
            body.add(bytes)
            isDone = isDone || parser.add(Array(copying: bytes)).contains { !receive($0) }
            return !isDone
        }
        var response: HTTPClient.Response
        do throws(HTTPClientError) { response = try client.send(request, receive: take) } catch {
            if isDone { return }
            throw unreachable(error.message)
        }
        guard response.status != 200 else { return }
        response.body = body.bytes
        throw Self.error(response)
    }

    func request(_ method: String, _ path: String) -> HTTPClient.Request {
        var request = HTTPClient.Request(method, server + path)
        request.authorities = authorities
        request.certificate = certificate
        if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
        return request
    }

    private func send(_ request: HTTPClient.Request) throws(ServiceError) -> HTTPClient.Response {
        do throws(HTTPClientError) { return try client.send(request) } catch { throw unreachable(error.message) }
    }

    func unreachable(_ reason: String) -> ServiceError {
        ServiceError(
            .internalError, "service.unreachable", "the service at \(server) cannot be reached: \(reason)",
            hint: "vtx serve starts one; --server names another")
    }

    static func error(_ response: HTTPClient.Response) -> ServiceError {
        let problem = try? JSONValue(parsing: response.body)
        let code = problem?["code"]?.string ?? "service.status"
        return ServiceError(
            response.status < 500 ? .usage : .internalError, code,
            problem?["detail"]?.string ?? "the service returned status \(response.status)",
            hint: hint(code) ?? problem?["hint"]?.string.map(asFlag))
    }

    /// Replaces names of settings of `vtx serve` with its flags.
    private static func asFlag(_ hint: String) -> String {
        ["url-host", "host-name", "shared", "allow-replace"].reduce(hint) {
            $0.replacing("option '\($1)'", with: "option --\($1)")
        }
    }

    /// Returns the hint for command-line users; the API's own is about headers.
    private static func hint(_ code: String) -> String? {
        switch code {
        case "token.missing", "token.invalid":
            "--token-file FILE, or $VTX_TOKEN_FILE, names the file with a token; --client-cert FILE a certificate"
        case "job.keyReused": "another job needs another --key"
        default: nil
        }
    }
}

/// The first bytes of a response that is not kept as a whole. That of an error is short and contains the reason.
struct ResponseStart {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ more: RawSpan) { if bytes.count < 1 << 16 { bytes += Array(copying: more) } }
}
