import VTXCommand
import VTXJSON

/// One command that speaks to a service.
struct ClientRun {
    private let options: ClientOptions
    private let console: Console

    init(_ options: ClientOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    func perform(_ body: (ServiceClient, JobReport) throws(ServiceError) -> ExitCode) -> ExitCode {
        do throws(ServiceError) {
            let code = try body(try ServiceClient(options), JobReport(console: console, printsJSON: options.printsJSON))
            if options.printsJSON { console.output.write(ResultRecord.success.line) }
            return code
        } catch { return console.report(error, asJSON: options.printsJSON) }
    }
}

/// Tells of jobs: a table for people, records for programs.
struct JobReport {
    let console: Console
    let printsJSON: Bool

    func job(_ job: JSONValue) {
        printsJSON ? record("job", job) : console.output.write("\(job["id"]?.string ?? "")\n")
    }

    func jobs(_ jobs: [JSONValue]) {
        if printsJSON { return jobs.forEach { record("job", $0) } }
        let rows = jobs.map(Self.row)
        console.output.write(PlanText.table(rows).map { $0.printable + "\n" }.joined())
    }

    func event(_ type: String, _ event: JSONValue) {
        if printsJSON { return record(type, event) }
        switch type {
        case "job": console.say(nil, "\(event["state"]?.string ?? "")\(Self.reason(event).map { ": \($0)" } ?? "")")
        case "notice": console.say(.warning, event["message"]?.string ?? "")
        default: break
        }
    }

    /// With its type, as every record has one.
    private func record(_ type: String, _ value: JSONValue) {
        var members = value.object ?? [:]
        members["type"] = .string(type)
        console.output.write(JSONValue.object(members).text + "\n")
    }

    /// Id, state, progress, source, and what is to be known beyond that.
    static func row(_ job: JSONValue) -> [String] {
        let percent = job["progress"]?["percent"]?.number.map { "\(Int($0)) %" } ?? ""
        let input = job["input"]
        return [
            job["id"]?.string ?? "", job["state"]?.string ?? "", percent,
            input?["path"]?.string ?? input?["url"]?.string ?? input?["upload"]?.string ?? "", reason(job) ?? "",
        ]
    }

    private static func reason(_ job: JSONValue) -> String? {
        job["error"]?["message"]?.string ?? job["reason"]?.string ?? job["result"]?["output"]?.string
    }
}
