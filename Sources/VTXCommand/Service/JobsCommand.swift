import VTXHTTP
import VTXJSON
import VTXJobs
import VTXTask

/// What `vtx jobs` was told.
struct JobsSettings: ClientSettings {
    var client = ClientOptions()
    var state: JobState?
    var label: Assignment?
    var limit = 50

    init() {}

    var path: String {
        var path = "/v1/jobs?limit=\(limit)"
        if let state { path += "&state=\(state.rawValue)" }
        if let label { path += "&label=\(PercentEncoding.encode("\(label.name)=\(label.value)"))" }
        return path
    }
}

extension Grammar where Settings == JobsSettings {
    static let jobs = Grammar(groups: [
        OptionGroup(
            "Which",
            [
                .optional("state", .choice("STATE"), into: \.state, "Jobs in this state."),
                .optional("label", .assignment, into: \.label, "Jobs with this label."),
                .value(
                    "limit", .count(from: 1, to: 500), into: \.limit,
                    "The most to show, the newest first."),
            ]), .service,
    ])
}

extension Command {
    static let jobs = Command(
        "jobs", "list the jobs of a service",
        grammar: .jobs,
        examples: [Example("vtx jobs --state failed", "What went wrong, and why")],
        run: { settings, console throws(UsageError) in
            ClientRun(settings.client, console).perform { client, report throws(ServiceError) in
                report.jobs(try client.ask("GET", settings.path)["jobs"]?.array ?? [])
                return .success
            }
        })
}
