import VTXJSON
import VTXJobs
import VTXSystem

/// The name of an output in what a worker reports: workers know only the hidden name, clients only the final one.
struct OutputNames: Sendable {
    private let replacements: [(hidden: String, shown: String)]

    /// - Parameters:
    ///   - hidden: The path that the worker writes to.
    ///   - shown: The output as shown to clients, a path or a URL.
    ///   - name: Its name.
    init(hidden: String, shown: String, name: String) {
        replacements = [(hidden, shown), (FileName.directory(of: hidden).name, name)]
    }

    func shown(_ text: String) -> String { replacements.reduce(text) { $0.replacing($1.hidden, with: $1.shown) } }

    /// Replaces the names in all strings of a record.
    func shown(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(shown(text))
        case .array(let values): .array(values.map { shown($0) })
        case .object(let members): .object(members.mapValues { shown($0) })
        case .null, .bool, .integer, .number: value
        }
    }

    func shown(_ failure: Failure) -> Failure {
        var failure = failure
        failure.message = shown(failure.message)
        failure.hint = failure.hint.map { shown($0) }
        failure.evidence = failure.evidence?.map { shown($0) }
        return failure
    }

    func shown(_ report: RunReport) -> RunReport {
        guard case .record(let type, let record, let position) = report else { return report }
        return .record(type: type, shown(record), position)
    }
}
