import VTXHTTP
import VTXJSON
import VTXTask

/// Finds the operation of a request and validates the request.
struct Router: Sendable {
    let operations: [Operation]

    enum Found: Sendable {
        case operation(Operation, path: [String: String])
        case otherMethods([String])
        case nothing
    }

    func find(_ method: String, _ segments: [String]) -> Found {
        let matching = operations.compactMap { operation in
            Self.match(operation.segments, segments).map { (operation, $0) }
        }
        // `/v1/jobs/counts` comes before `/v1/jobs/{id}`.
        let best = matching.map(\.1.count).min() ?? 0
        let nearest = matching.filter { $0.1.count == best }
        let wanted = method == "HEAD" ? "GET" : method
        if let (operation, path) = nearest.first(where: { $0.0.method == wanted })
            ?? nearest.first(where: { $0.0.method == method })
        {
            return .operation(operation, path: path)
        }
        guard !nearest.isEmpty else { return .nothing }
        let methods = Set(nearest.map(\.0.method))
        return .otherMethods((methods.contains("GET") ? methods.union(["HEAD"]) : methods).sorted())
    }

    private static func match(_ pattern: [Substring], _ segments: [String]) -> [String: String]? {
        guard pattern.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (part, segment) in zip(pattern, segments) {
            if part.hasPrefix("{") {
                guard !segment.isEmpty else { return nil }
                values[String(part.dropFirst().dropLast())] = segment
            } else if part != segment {
                return nil
            }
        }
        return values
    }
}

extension Operation {
    /// Validates the parameters of a request.
    ///
    /// - Throws: if any are unknown, missing or invalid; the error lists all of them.
    func check(_ request: HTTPRequest, path: [String: String], _ caller: Caller) throws(Problem) -> Call {
        var call = Call(request: request, caller: caller, path: path)
        var problems = parameters.filter { $0.place == .path }.flatMap { parameter in
            parameter.schema.problems(with: .string(path[parameter.name] ?? ""), at: parameter.name)
        }
        // Nothing can be created under an invalid name; for other methods, an invalid name does not exist.
        if !problems.isEmpty, method == "PUT" { throw Problem.invalid(problems) }
        if !problems.isEmpty {
            throw Problem(404, "path.notFound", "'\(request.path)' does not exist", errors: problems)
        }
        guard let query = request.query else {
            throw Problem(400, "request.invalid", "the query has an invalid escape")
        }
        problems = take(query, &call) + headerProblems(request)
        if !problems.isEmpty { throw Problem.invalid(problems) }
        return call
    }

    private func take(_ query: [(name: String, value: String)], _ call: inout Call) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        for (name, value) in query {
            guard let parameter = parameters.first(where: { $0.name == name && $0.place == .query }) else {
                if !takesAnyQuery { problems.append(unknown(name)) }
                continue
            }
            problems += take(value, parameter, &call)
        }
        for parameter in parameters
        where parameter.place == .query && parameter.isRequired && call.query[parameter.name] == nil {
            problems.append(SchemaProblem(parameter.name, "is missing"))
        }
        return problems
    }

    private func unknown(_ name: String) -> SchemaProblem {
        let names = parameters.filter { $0.place == .query }.map(\.name)
        let nearest = Suggestion.nearest(to: name, in: names)
        return SchemaProblem(name, "is not a parameter here" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }

    private func take(_ text: String, _ parameter: Parameter, _ call: inout Call) -> [SchemaProblem] {
        if call.query[parameter.name] != nil, !parameter.repeats {
            return [SchemaProblem(parameter.name, "is given more than once")]
        }
        let value = parameter.schema.reads(text)
        call.query[parameter.name, default: []].append(value)
        return parameter.schema.problems(with: value, at: parameter.name)
    }

    private func headerProblems(_ request: HTTPRequest) -> [SchemaProblem] {
        parameters.filter { $0.place == .header }.flatMap { parameter -> [SchemaProblem] in
            let values = request.headers[parameter.name.lowercased()] ?? []
            if values.count > 1 { return [SchemaProblem(parameter.name, "is given more than once")] }
            guard let text = values.first else {
                return parameter.isRequired ? [SchemaProblem(parameter.name, "is missing")] : []
            }
            return parameter.schema.problems(with: parameter.schema.reads(text), at: parameter.name)
        }
    }

    /// Validates the body of a request.
    func check(body request: HTTPRequest) throws(Problem) -> JSONValue {
        guard case .json(let schema, let isRequired) = body, isRequired || !request.body.isEmpty else { return .null }
        let type = request.header("content-type")?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        guard type.split(separator: " ").joined() == "application/json" else {
            throw Problem(
                415, "request.type", "the body must be application/json", hint: "set the header Content-Type")
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: request.body) } catch {
            throw Problem(400, "request.json", "the body is not valid JSON: \(error)")
        }
        let problems = schema.problems(with: value)
        if !problems.isEmpty { throw Problem.invalid(problems) }
        return value
    }
}

extension Problem {
    static func invalid(_ problems: [SchemaProblem]) -> Problem {
        let first = problems.first.map(\.sentence) ?? ""
        let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
        return Problem(400, "request.invalid", first + more, errors: problems)
    }
}

extension SchemaProblem {
    fileprivate var sentence: String {
        isSentence ? message : "\(pointer.isEmpty ? "the body" : pointer) \(message)"
    }
}

extension Schema {
    /// Parses the text of a parameter.
    fileprivate func reads(_ text: String) -> JSONValue {
        switch self {
        case .integer, .number:
            // Only as JSON would write it: no plus sign, no spaces.
            (try? JSONValue(parsing: text)) ?? .string(text)
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        case .named(_, let schema), .nullable(let schema): schema.reads(text)
        default: .string(text)
        }
    }
}
