import Glibc
import VTXCommand
import VTXJSON
import VTXJobs
import VTXSystem

/// Runs a command that connects to a service.
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
            if options.printsJSON { console.output.write(ResultRecord(code).line) }
            return code
        } catch { return console.report(error, asJSON: options.printsJSON) }
    }
}

/// Reports jobs: as a table for users, as records for programs.
struct JobReport {
    let console: Console
    let printsJSON: Bool
    /// The last message, which is not repeated: several events of a job may have the same state.
    private let shown = Locked<String?>(nil)

    init(console: Console, printsJSON: Bool) { (self.console, self.printsJSON) = (console, printsJSON) }

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
        case "job": state(of: event)
        case "notice": console.say(.warning, event["message"]?.string ?? "")
        default: break
        }
    }

    private func state(of event: JSONValue) {
        let word = event["state"]?.string ?? ""
        let reason = event["error"]?["message"]?.string ?? event["reason"]?.string
        let state = word == JobState.waiting.rawValue && reason == nil ? "waiting for a device" : word
        let text = state + (reason.map { ": \($0)" } ?? "")
        let isNew = shown.withLock { shown in
            defer { shown = text }
            return shown != text
        }
        if isNew { console.say(nil, text) }
    }

    /// Tells users where the output is.
    func outcome(_ job: JSONValue) {
        guard !printsJSON, let output = job["result"]?["output"]?.string else { return }
        if Self.isKept(job) {
            let name = FileName.directory(of: output).name
            console.say(.hint, "vtx download \(job["id"]?.string ?? "") fetches '\(name)'")
        } else {
            console.say(nil, "the output is '\(output)'")
        }
    }

    /// Reports a downloaded file.
    func file(_ path: String, _ byteCount: Int64) {
        if printsJSON { return record("file", ["path": .string(path), "bytes": .integer(byteCount)]) }
        console.output.write("\(path.printable)\n")
    }

    /// Adds the type, which every record has.
    private func record(_ type: String, _ value: JSONValue) {
        var members = value.object ?? [:]
        members["type"] = .string(type)
        console.output.write(JSONValue.object(members).text + "\n")
    }

    /// ID, time of submission, state, progress, source, and the error, the reason for the state, or the output.
    static func row(_ job: JSONValue) -> [String] {
        let percent = job["progress"]?["percent"]?.number.map { "\(Int($0)) %" } ?? ""
        let input = job["input"]
        return [
            job["id"]?.string ?? "", localTime(job["createdAt"]?.string),
            job["state"]?.string ?? "", percent,
            input?["path"]?.string ?? input?["url"]?.string ?? input?["name"]?.string ?? input?["upload"]?.string ?? "",
            reason(job) ?? "",
        ]
    }

    /// Whether the service keeps the output for download. Its path on the server is then of no interest.
    private static func isKept(_ job: JSONValue) -> Bool { job["output"] == nil && job["input"]?["path"] == nil }

    private static func reason(_ job: JSONValue) -> String? {
        let output = job["result"]?["output"]?.string
        let shown = isKept(job) ? output.map { FileName.directory(of: $0).name } : output
        return job["error"]?["message"]?.string ?? job["reason"]?.string ?? shown
    }

    /// `2026-11-25 15:25`, in local time.
    private static func localTime(_ text: String?) -> String {
        guard let time = text.flatMap(Timestamp.init) else { return "" }
        var (seconds, parts) = (time_t(time.milliseconds / 1000), tm())
        localtime_r(&seconds, &parts)
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map(two).joined(separator: "-")
        return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
