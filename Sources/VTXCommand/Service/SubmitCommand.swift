import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// What `vtx submit` was told.
struct SubmitSettings: ClientSettings {
    var client = ClientOptions()
    var input = ""
    var output: String?
    var settings: [Assignment] = []
    var labels: [Assignment] = []
    var priority: Int?
    var key: String?
    var waits = false

    init() {}

    /// The request's body. Paths are the client's: the service wants them absolute.
    var body: JSONValue {
        var body: [String: JSONValue] = ["input": ["path": .string(Self.absolute(input))]]
        if let output { body["output"] = ["path": .string(Self.absolute(output))] }
        if !settings.isEmpty { body["settings"] = .object(Dictionary(settings.map { ($0.name, $0.setting) }) { $1 }) }
        if !labels.isEmpty { body["labels"] = .object(Dictionary(labels.map { ($0.name, .string($0.value)) }) { $1 }) }
        if let priority { body["priority"] = .integer(Int64(priority)) }
        return .object(body)
    }

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let here = TextFile.linkTarget("/proc/self/cwd") ?? "/"
        return "\(here == "/" ? "" : here)/\(path)"
    }
}

extension Grammar where Settings == SubmitSettings {
    static let submit = Grammar(
        positionals: [
            .required(.filePath("INPUT"), into: \.input, "The file to read, as the service's host sees it."),
            .optional(.filePath("OUTPUT"), into: \.output, "The file to write. By default a name beside the input."),
        ],
        groups: [
            OptionGroup(
                "Job",
                [
                    .list(
                        "set", .assignment, into: \.settings,
                        "A setting, such as codec=hevc or quality=70; docs/service.md lists them. May be given several times."
                    ),
                    .optional("priority", .priority, into: \.priority, "The higher, the sooner; 0 is usual."),
                    .list("label", .assignment, into: \.labels, "A word of your own to find the job by."),
                    .optional(
                        "key", .key, into: \.key,
                        "A key of your own: submitting twice with the same key makes one job."),
                    .flag("wait", sets: \.waits, to: true, "Follow the job to its end, as vtx watch does."),
                ]), .service,
        ])
}

extension ValueType where Value == Int {
    fileprivate static var priority: ValueType {
        ValueType("N", expects: "a number from -100 to 100") {
            Int($0).flatMap { JobSpecification.priorities.contains($0) ? $0 : nil }
        }
    }
}

extension ValueType where Value == String {
    fileprivate static var key: ValueType {
        ValueType("KEY", expects: "1 to 128 printable characters") { key in
            (1...128).contains(key.count) && key.allSatisfy { $0.isASCII && !$0.isWhitespace } ? key : nil
        }
    }
}

extension Command {
    static let submit = Command(
        "submit", "give a job to a service",
        grammar: .submit,
        examples: [
            Example("vtx submit /media/in.mkv /media/out.mp4 --set codec=hevc --set quality=70", "One job"),
            Example("vtx submit in.mkv --wait", "Like vtx transcode, on the service's host"),
        ],
        run: { settings, console throws(UsageError) in
            ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
                let key = settings.key.map { [(name: "Idempotency-Key", value: $0)] } ?? []
                let job = try client.ask("POST", "/v1/jobs", body: settings.body, headers: key)
                report.job(job)
                return settings.waits ? try JobWatch(client, report).follow(job["id"]?.string ?? "") : .success
            }
        })
}
