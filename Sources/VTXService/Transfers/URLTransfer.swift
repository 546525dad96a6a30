import VTXHTTP
import VTXJobs
import VTXSystem

/// Brings sources from their URLs, and outputs to theirs.
struct URLTransfer: Sendable {
    let rules: URLRules
    /// Bytes of a source.
    let limit: Int64
    let client = HTTPClient()

    private static let longest = 12 * 3600.0

    init(_ rules: URLRules, limit: Int64) { (self.rules, self.limit) = (rules, limit) }

    /// - Throws: `Failure` for a URL that the rules do not allow.
    func request(_ method: String, _ url: String, _ what: String) throws(Failure) -> HTTPClient.Request {
        do throws(Problem) {
            let access = try rules.check(url, what)
            var request = HTTPClient.Request(method, url)
            request.addresses = access.addresses
            request.allowsPlainHTTP = access.allowsPlainHTTP
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
                throw Failure(.request, "url.private", "the \(what) leads to an address that is not public")
            }
            if error.isTooLarge {
                throw Failure(.source, "input.tooLarge", "the \(what) is larger than \(request.limit) bytes")
            }
            let url = URLText.withoutSecrets(request.url)
            throw Failure(.network, "url.unreachable", "the \(what) \(url) cannot be reached: \(error)")
        }
    }

    /// What an answer without success means: some pass by themselves.
    func refusal(_ response: HTTPClient.Response, _ what: String, _ category: Failure.Category) -> Failure {
        let isTransient = [408, 425, 429].contains(response.status) || response.status >= 500
        return Failure(
            isTransient ? .network : category, "url.refused", "the \(what)'s server answers \(response.status)")
    }
}
