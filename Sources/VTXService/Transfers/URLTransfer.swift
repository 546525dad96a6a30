import Glibc
import VTXHTTP
import VTXJobs
import VTXSystem

/// Downloads sources from URLs, and uploads outputs.
struct URLTransfer: Sendable {
    let rules: URLRules
    /// The maximum size of a source, in bytes.
    let limit: Int64
    let client = HTTPClient()

    private static let longest = 12 * 3600.0

    init(_ rules: URLRules, limit: Int64) { (self.rules, self.limit) = (rules, limit) }

    /// - Throws: `Failure` if the rules do not allow the URL.
    func request(_ method: String, _ url: String, _ what: String) throws(Failure) -> HTTPClient.Request {
        do throws(Problem) {
            var request = try rules.request(method, url, what)
            request.timeout = Self.longest
            return request
        } catch { throw Failure(.request, error.code, error.detail, hint: error.hint) }
    }

    /// - Throws: `Failure`, or `Stopped`.
    func send(
        _ request: HTTPClient.Request, _ what: String, _ control: RunControl, receive: ((RawSpan) -> Bool)? = nil
    ) throws -> HTTPClient.Response {
        do throws(HTTPClientError) {
            return try client.send(request, isCancelled: { control.isStopped }, receive: receive)
        } catch {
            if error.isCancelled { throw Stopped() }
            if error.isForbidden {
                throw Failure(.request, "url.private", "the \(what) has an address that is not public")
            }
            if error.isTooLarge {
                throw Failure(.source, "input.tooLarge", "the \(what) is larger than \(request.limit) bytes")
            }
            let url = URLText.withoutSecrets(request.url)
            throw Failure(.network, "url.unreachable", "the \(what) \(url) cannot be reached: \(error)")
        }
    }

    /// Converts an unsuccessful response to a failure. Some are temporary.
    func refusal(_ response: HTTPClient.Response, _ what: String, _ category: Failure.Category) -> Failure {
        let isTransient = [408, 425, 429].contains(response.status) || response.status >= 500
        return Failure(
            isTransient ? .network : category, "url.refused", "the \(what)'s server returned status \(response.status)")
    }
}

extension URLTransfer {
    private static let maxRedirects = 5

    /// Downloads a source.
    ///
    /// - Parameters:
    ///   - directory: For the source only. In a cluster it may be on shared storage.
    ///   - attempt: The number of the job's attempt: a lost worker may still be writing the file of its own.
    ///   - report: Called with the number of bytes received.
    /// - Returns: the file. An existing one is used, because it has its name only when it is complete.
    func fetch(
        _ url: String, into directory: String, attempt: Int, _ control: RunControl,
        report: @escaping (Int64) -> Void
    ) throws -> String {
        let name = ClientFileName.plain(ofURL: url)
        let path = "\(directory)/\(name)"
        if FileStatus(path, followsLinks: false)?.kind == .regular { return path }
        let partial = "\(Self.partial)\(attempt)"
        do {
            try Directory.make(directory)
            let opened = try OpenDirectory(directory)
            for left in Directory.names(in: directory) where left.hasPrefix(Self.partial) { opened.remove(left) }
            let file = try opened.open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, permissions: 0o600)
            do {
                let changed = try download(url, file, control, report).lastModified
                // A source that is fetched again is the same one to a journal.
                if let changed { try file.setTimes(changed) }
                try file.synchronize()
                try opened.rename(partial, to: name, replaces: true)
            } catch {
                // The space is needed, also to store the failure.
                opened.remove(partial)
                throw error
            }
        } catch let error as SystemError { throw Failure.output(error, path) }
        return path
    }

    private static let partial = ".partial."

    /// Checks every redirect against the rules.
    private func download(
        _ url: String, _ file: borrowing FileDescriptor, _ control: RunControl, _ report: @escaping (Int64) -> Void
    ) throws -> HTTPClient.Response {
        var url = url
        for _ in 0...Self.maxRedirects {
            // The body of a redirect is not the source.
            try file.truncate(to: 0)
            try file.seek(to: 0)
            let response = try get(url, file, control, report)
            switch response.status {
            case 200: return response
            case 301, 302, 303, 307, 308:
                guard let place = response.headers["location"], let parts = URLParts(url) else {
                    throw refusal(response, "source", .source)
                }
                url = parts.following(place)
            default: throw refusal(response, "source", .source)
            }
        }
        throw Failure(.source, "url.redirects", "the source's URL has too many redirects")
    }

    private func get(
        _ url: String, _ file: borrowing FileDescriptor, _ control: RunControl, _ report: @escaping (Int64) -> Void
    ) throws -> HTTPClient.Response {
        var request = try request("GET", url, "source")
        request.limit = limit
        let (number, place) = (file.number, file.path)
        var (count, failure) = (Int64(0), SystemError?.none)
        do {
            return try send(request, "source", control) { bytes in
                count += Int64(bytes.byteCount)
                report(count)
                do throws(SystemError) {
                    try Self.checkRoom(for: Int64(bytes.byteCount), at: place)
                    try FileDescriptor.writeAll(bytes, to: number)
                } catch { failure = error }
                return failure == nil
            }
        } catch { throw failure ?? error }
    }

    private static func checkRoom(for count: Int64, at path: String) throws(SystemError) {
        if Uploads.room(at: path) < count { throw SystemError("write", ENOSPC) }
    }

    /// Uploads an output.
    func put(_ file: SharedFile, to url: String, _ control: RunControl) throws {
        var request = try request("PUT", url, "output")
        request.file = file
        let response = try send(request, "output", control)
        guard (200...299).contains(response.status) else { throw refusal(response, "output", .output) }
    }
}
