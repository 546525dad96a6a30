import VTXHTTP
import VTXJobs
import VTXSystem

/// Handles a request: finds the operation, authenticates the client, validates the request, and runs the operation.
final class ServiceHandler: HTTPResponder {
    private let router: Router
    private let gate: Gate
    private let audit: AuditLog
    private let metrics: Metrics
    private static let bodyLimit = 256 << 10

    init(_ operations: [Operation], _ gate: Gate, _ audit: AuditLog, _ metrics: Metrics) {
        router = Router(operations: operations)
        self.gate = gate
        self.audit = audit
        self.metrics = metrics
    }

    /// Rejects a request before its body is read.
    func begin(_ request: HTTPRequest) -> HTTPReception {
        do throws(Problem) {
            let (operation, call) = try admitted(request)
            return try reception(operation, call)
        } catch {
            audit.note(Caller(name: "", scope: nil), request.address, request.method, request.path, error.status)
            return .refused(Self.hardened(error.response))
        }
    }

    private func reception(_ operation: Operation, _ call: Call) throws(Problem) -> HTTPReception {
        switch operation.body {
        case .bytes(_, _, let sink): .sink(try attempt(operation) { try sink(call) }.get())
        case .json: .memory(limit: Self.bodyLimit, operation.lane)
        case nil: .memory(limit: 0, operation.lane)
        }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let start = MonotonicClock.seconds
        do throws(Problem) {
            let (operation, call) = try admitted(request)
            let response = answer(operation, call)
            metrics.add("vtx_http_requests_total", ["operation": operation.id, "status": String(response.status)])
            metrics.observe("vtx_http_request_seconds", ["operation": operation.id], MonotonicClock.seconds - start)
            if !["GET", "HEAD"].contains(request.method) {
                audit.note(call.caller, request.address, operation.id, request.path, response.status)
            }
            return Self.hardened(response)
        } catch {
            request.sink?.abandoned()
            return Self.hardened(error.response)
        }
    }

    private func admitted(_ request: HTTPRequest) throws(Problem) -> (Operation, Call) {
        guard let segments = request.segments else {
            throw Problem(400, "request.invalid", "the path has an invalid escape")
        }
        switch router.find(request.method, segments) {
        case .operation(let operation, let path):
            let caller = try gate.admit(request, operation)
            return (operation, try operation.check(request, path: path, caller))
        case .otherMethods(let methods):
            var problem = Problem(405, "request.method", "'\(request.path)' takes \(methods.joined(separator: ", "))")
            problem.headers = [("Allow", methods.joined(separator: ", "))]
            throw problem
        case .nothing: throw Problem(404, "path.notFound", "'\(request.path)' does not exist")
        }
    }

    private func answer(_ operation: Operation, _ call: Call) -> HTTPResponse {
        let answer = attempt(operation) {
            var call = call
            call.body = try operation.check(body: call.request)
            return try operation.handle(call)
        }
        switch answer {
        case .success(let response): return response
        case .failure(let problem): return problem.response
        }
    }

    private func attempt<Value>(_ operation: Operation, _ body: () throws -> Value) -> Result<Value, Problem> {
        do { return .success(try body()) } catch let problem as Problem {
            return .failure(problem)
        } catch let error as StoreError {
            return .failure(Problem(error))
        } catch {
            Log.error("\(operation.id): \(error)")
            return .failure(Problem(500, "internal", "the server failed; its log has the details"))
        }
    }

    /// Adds security headers for browsers.
    private static func hardened(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += [
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
        ]
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        return response
    }
}
