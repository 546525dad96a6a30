package import VTXJobs
import VTXTask

/// What the commands that speak to a service have in common.
package protocol ClientSettings: CommandSettings {
    var client: ClientOptions { get set }
}

package struct ClientOptions: Sendable, Hashable {
    package var server: String?
    package var tokenFile: String?
    package var authorityFile: String?
    package var printsJSON = false
}

extension OptionGroup where Settings: ClientSettings {
    static var service: OptionGroup {
        OptionGroup(
            "Service",
            [
                .optional(
                    "server", .serverURL, into: \.client.server,
                    "The service. By default $VTX_SERVER, or http://127.0.0.1:8080."),
                .optional(
                    "token-file", .filePath("FILE"), into: \.client.tokenFile,
                    "A file with the token to show. By default $VTX_TOKEN_FILE."),
                .optional(
                    "ca-file", .filePath("FILE"), into: \.client.authorityFile,
                    "Certificates to believe, in PEM, in place of the system's. By default $VTX_CA_FILE."),
                .flag(
                    "json", sets: \.client.printsJSON, to: true,
                    "Print JSON records, one a line; the last has the type \"result\"."),
            ])
    }
}

/// What `vtx jobs` was told.
package struct JobsSettings: ClientSettings {
    package var client = ClientOptions()
    var state: JobState?
    var label: Assignment?
    var limit = 50

    package init() {}

    /// What the service is asked for, by name.
    package var query: [(name: String, value: String)] {
        var query = [(name: "limit", value: "\(limit)")]
        if let state { query.append(("state", state.rawValue)) }
        if let label { query.append(("label", "\(label.name)=\(label.value)")) }
        return query
    }
}

extension Grammar where Settings == JobsSettings {
    static let jobs = Grammar(groups: [
        OptionGroup(
            "Which",
            [
                .optional("state", .choice("STATE"), into: \.state, "Jobs in this state."),
                .optional("label", .label, into: \.label, "Jobs with this label."),
                .value(
                    "limit", .count(from: 1, to: 500), into: \.limit,
                    "The most to show, the newest first."),
            ]), .service,
    ])
}

/// What the commands that name a job, and no more, were told.
package struct JobIDSettings: ClientSettings {
    package var client = ClientOptions()
    package var id: JobID?

    package init() {}
}

extension Grammar where Settings == JobIDSettings {
    static let job = Grammar(
        positionals: [.job { $0.id = $1 }],
        groups: [.service])
}

extension Positional where Settings: ClientSettings {
    fileprivate static func job(_ set: @escaping @Sendable (inout Settings, JobID) -> Void) -> Positional {
        Positional(description: .init(value: ValueType.jobID.description, isRequired: true, help: "The job.")) {
            guard let id = JobID($1) else { return false }
            set(&$0, id)
            return true
        }
    }
}

/// What `vtx download` was told.
package struct DownloadSettings: ClientSettings {
    package var client = ClientOptions()
    package var id: JobID?
    package var file: String?
    package var replaces = false

    package init() {}
}

extension Grammar where Settings == DownloadSettings {
    static let download = Grammar(
        positionals: [
            .job { $0.id = $1 },
            .optional(
                .filePath("FILE"), into: \.file,
                "The file to write, or a directory for it. By default the output's name, here."),
        ],
        groups: [
            OptionGroup(
                "Output", [.flag("overwrite", sets: \.replaces, to: true, "Replace a file that is there.")]),
            .service,
        ])
}

extension Command {
    package static func jobs(_ run: @escaping Run<JobsSettings>) -> Command {
        Command(
            "jobs", "list the jobs of a service",
            grammar: .jobs,
            examples: [Example("vtx jobs --state failed", "What went wrong, and why")],
            run: run)
    }

    package static func watch(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "watch", "follow a job of a service to its end",
            details: [
                "Ends with exit code 0 when the job has its output, and as vtx transcode would have ended otherwise."
            ],
            grammar: .job,
            run: run)
    }

    package static func cancel(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command("cancel", "cancel a job of a service", grammar: .job, run: run)
    }

    package static func pause(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "pause", "pause a job of a service",
            details: [
                "Its worker stops after the last whole group of pictures, and its device is free for others. It goes on "
                    + "from there with vtx unpause."
            ],
            grammar: .job, run: run)
    }

    package static func unpause(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "unpause", "let a paused job of a service go on",
            details: ["It waits for its turn again. (vtx resume goes on with a file that vtx transcode has left.)"],
            grammar: .job, run: run)
    }

    package static func retry(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "retry", "try a job of a service again",
            details: ["For a job that has failed, was cancelled or was skipped by a rule of its watch folder."],
            grammar: .job, run: run)
    }

    package static func download(_ run: @escaping Run<DownloadSettings>) -> Command {
        Command(
            "download", "fetch the output of a service's job",
            details: ["The file has its name when all of it is there."],
            grammar: .download,
            examples: [Example("vtx download 4m5x8k2r7d9w3c6h1j0q out.mp4", "The output as out.mp4")],
            run: run)
    }
}
