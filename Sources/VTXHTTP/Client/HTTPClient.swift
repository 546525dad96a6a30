import CCurl
import Glibc
import VTXSystem

/// Sends requests synchronously, one at a time (C: `curl_easy_perform`).
package struct HTTPClient: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var url: String
        package var headers: [(name: String, value: String)] = []
        package var body: [UInt8] = []
        /// The body, from the file's start; replaces `body`.
        package var file: SharedFile?
        /// The timeout for the whole transfer, in seconds; 0 for none.
        package var timeout = 30.0
        /// How long a transfer may be slower than one byte per second, in seconds.
        package var stallTimeout = 30.0
        /// The maximum size of the response, in bytes. A larger one is an error.
        package var limit: Int64 = 1 << 20
        /// Called several times per second with the number of bytes sent and received.
        package var progress: (@Sendable (_ sent: Int64, _ received: Int64) -> Void)?
        package var addresses = AddressPolicy.any
        package var allowsPlainHTTP = true
        /// Whether the environment's proxies are used, such as that of `https_proxy`. A proxy sees where a request goes,
        /// and connects to any address.
        package var usesProxies = true
        /// A PEM file of trusted certificate authorities; nil for the system's.
        package var authorities: String?
        /// PEM files of the client certificate and its key; nil for none.
        package var certificate: (file: String, key: String)?

        package init(_ method: String, _ url: String) { (self.method, self.url) = (method, url) }
    }

    package struct Response: Sendable {
        package var status: Int
        /// By lowercase name.
        package var headers: [String: String]
        /// Empty if `receive` took the body.
        package var body: [UInt8]

        /// When the content was last changed, in seconds since 1970; nil if the server does not say so.
        package var lastModified: Int64? {
            let time = headers["last-modified"].map { Int64(curl_getdate($0, nil)) }
            return time.flatMap { $0 < 0 ? nil : $0 }
        }
    }

    package init() { _ = Self.start }

    private static let start = curl_global_init(Int(CURL_GLOBAL_ALL))

    /// - Parameters:
    ///   - isCancelled: Called several times per second.
    ///   - receive: Called with parts of the body instead of storing it; returns false to abort.
    package func send(
        _ request: Request, isCancelled: @escaping () -> Bool = { false }, receive: ((RawSpan) -> Bool)? = nil
    ) throws(HTTPClientError) -> Response {
        guard let handle = curl_easy_init() else { throw HTTPClientError("libcurl cannot start") }
        defer { curl_easy_cleanup(handle) }
        let transfer = Transfer(request, isCancelled, receive)
        let code = transfer.perform(handle)
        guard code == CURLE_OK else { throw transfer.error(code) }
        return Response(status: Int(curl_status(handle)), headers: transfer.headers, body: transfer.body)
    }
}

/// Why there was no response.
package struct HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
    package var message: String
    /// Whether the address policy forbids the address.
    package var isForbidden = false
    package var isCancelled = false
    package var isTooLarge = false

    package init(_ message: String) { self.message = message }
    package var description: String { message }
}

/// A running request, used by the thread that performs it.
private final class Transfer {
    private let request: HTTPClient.Request
    private let isCancelled: () -> Bool
    private let receive: ((RawSpan) -> Bool)?
    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private var received: Int64 = 0
    private var sent = 0
    private var forbidden: String?

    init(_ request: HTTPClient.Request, _ isCancelled: @escaping () -> Bool, _ receive: ((RawSpan) -> Bool)?) {
        self.request = request
        self.isCancelled = isCancelled
        self.receive = receive
    }

    func perform(_ handle: UnsafeMutableRawPointer) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for (name, value) in request.headers { list = curl_slist_append(list, "\(name): \(value)") }
        // Do not wait for a "100 Continue", which few servers send.
        list = curl_slist_append(list, "Expect:")
        curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        setUp(handle)
        setBody(handle)
        setCallbacks(handle)
        return curl_easy_perform(handle)
    }

    private func setUp(_ handle: UnsafeMutableRawPointer) {
        curl_set_text(handle, CURLOPT_URL, request.url)
        curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
        curl_set_number(handle, CURLOPT_NOBODY, request.method == "HEAD" ? 1 : 0)
        curl_set_text(handle, CURLOPT_PROTOCOLS_STR, request.allowsPlainHTTP ? "http,https" : "https")
        curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 15)
        curl_set_number(handle, CURLOPT_TIMEOUT_MS, Int(request.timeout * 1000))
        curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
        curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, Int(request.stallTimeout))
        curl_set_text(handle, CURLOPT_USERAGENT, "vtx")
        if let authorities = request.authorities { curl_set_text(handle, CURLOPT_CAINFO, authorities) }
        if let certificate = request.certificate {
            curl_set_text(handle, CURLOPT_SSLCERT, certificate.file)
            curl_set_text(handle, CURLOPT_SSLKEY, certificate.key)
        }
        // A proxy would also bypass the address policy.
        if !request.usesProxies || request.addresses == .publicOnly { curl_set_text(handle, CURLOPT_PROXY, "") }
    }

    private func setBody(_ handle: UnsafeMutableRawPointer) {
        let length = request.file.flatMap { $0.descriptor.status?.byteCount } ?? Int64(request.body.count)
        guard request.file != nil || !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) else {
            return
        }
        curl_set_number(handle, CURLOPT_UPLOAD, 1)
        curl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, Int(length))
        curl_set_transfer(handle, CURLOPT_READFUNCTION) { buffer, size, count, object in
            Transfer.of(object).read(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    private func setCallbacks(_ handle: UnsafeMutableRawPointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        curl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { buffer, size, count, object in
            Transfer.of(object).write(UnsafeRawBufferPointer(start: buffer, count: size * count))
        }
        curl_set_pointer(handle, CURLOPT_WRITEDATA, me)
        curl_set_transfer(handle, CURLOPT_HEADERFUNCTION) { buffer, size, count, object in
            Transfer.of(object).header(UnsafeRawBufferPointer(start: buffer, count: size * count))
        }
        curl_set_pointer(handle, CURLOPT_HEADERDATA, me)
        curl_set_open_socket(handle) { object, _, address in Transfer.of(object).open(address) }
        curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, me)
        curl_set_number(handle, CURLOPT_NOPROGRESS, 0)
        curl_set_progress(handle) { object, _, _, _, _ in Transfer.of(object).mayContinue() ? 0 : 1 }
        curl_set_pointer(handle, CURLOPT_XFERINFODATA, me)
    }

    private func mayContinue() -> Bool {
        request.progress?(Int64(sent), received)
        return !isCancelled()
    }

    private static func of(_ object: UnsafeMutableRawPointer?) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(object!).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let file = request.file {
            let count = pread(file.descriptor.number, buffer.baseAddress, buffer.count, off_t(sent))
            guard count >= 0 else { return 0x1000_0000 }
            sent += count
            return count
        }
        let part = request.body[sent...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// - Returns: the number of bytes taken; fewer than `bytes` aborts the transfer.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        received += Int64(bytes.count)
        guard received <= request.limit else { return 0 }
        if let receive { return receive(bytes.bytes) ? bytes.count : 0 }
        body += bytes
        return bytes.count
    }

    private func header(_ bytes: UnsafeRawBufferPointer) -> Int {
        let line = String(decoding: bytes, as: UTF8.self)
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
            headers[line[..<colon].lowercased()] = value
        }
        return bytes.count
    }

    /// Checks the address that is actually connected to, which defeats DNS rebinding.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        guard let address else { return curl_socket_t(-1) }
        guard request.addresses.allows(IPAddress(curl_address(address))) else {
            forbidden = "the address is not public"
            return curl_socket_t(-1)
        }
        return socket(
            address.pointee.family, address.pointee.socktype | SocketType.closeOnExec, address.pointee.protocol)
    }

    func error(_ code: CURLcode) -> HTTPClientError {
        var error = HTTPClientError(String(cString: curl_easy_strerror(code)))
        if let forbidden {
            error.message = forbidden
            error.isForbidden = true
        } else if received > request.limit {
            error.message = "the response is larger than \(request.limit) bytes"
            error.isTooLarge = true
        } else if code == CURLE_ABORTED_BY_CALLBACK {
            error.message = "cancelled"
            error.isCancelled = true
        }
        return error
    }
}
