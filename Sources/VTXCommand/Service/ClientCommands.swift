package import VTXJobs
import VTXTask

/// The common settings of commands that connect to a service.
package protocol ClientSettings: CommandSettings {
    var client: ClientOptions { get set }
}

package struct ClientOptions: Sendable, Hashable {
    package var server: String?
    package var tokenFile: String?
    package var authorityFile: String?
    package var certificateFile: String?
    package var keyFile: String?
    package var printsJSON = false
}

extension OptionGroup where Settings: ClientSettings {
    static var service: OptionGroup {
        OptionGroup(
            "Service",
            [
                .optional(
                    "server", .serverURL, into: \.client.server,
                    "URL of the service. By default $VTX_SERVER, or http://127.0.0.1:8080."),
                .optional(
                    "token-file", .filePath("FILE"), into: \.client.tokenFile,
                    "File with the access token. By default $VTX_TOKEN_FILE."),
                .optional(
                    "ca-file", .filePath("FILE"), into: \.client.authorityFile,
                    "Trusted CA certificates (PEM), instead of the system's. By default $VTX_CA_FILE."),
                .optional(
                    "client-cert", .filePath("FILE"), into: \.client.certificateFile,
                    "Client certificate (PEM), instead of a token. By default $VTX_CLIENT_CERT."),
                .optional(
                    "client-key", .filePath("FILE"), into: \.client.keyFile,
                    "Private key of the client certificate (PEM). By default $VTX_CLIENT_KEY, or the certificate's file."
                ),
                .flag(
                    "json", sets: \.client.printsJSON, to: true,
                    "Print JSON records, one per line; the last has the type \"result\"."),
            ])
    }
}

package struct JobsSettings: ClientSettings {
    package var client = ClientOptions()
    var state: JobState?
    var label: Assignment?
    var limit = 50

    package init() {}

    /// The parameters of the query.
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
                .optional("state", .choice("STATE"), into: \.state, "Only jobs in this state."),
                .optional("label", .label, into: \.label, "Only jobs with this label."),
                .value(
                    "limit", .count(from: 1, to: 500), into: \.limit,
                    "Maximum number of jobs, newest first."),
            ]), .service,
    ])
}

/// The settings of commands with only a job ID.
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
        Positional(description: .init(value: ValueType.jobID.description, isRequired: true, help: "The job's ID.")) {
            guard let id = JobID($1) else { return false }
            set(&$0, id)
            return true
        }
    }
}

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
                "The file to write, or a directory for it. By default the output's name, in the current directory. An HLS or "
                    + "DASH output is a directory, which gets this name."),
        ],
        groups: [
            OptionGroup(
                "Output",
                [
                    .flag(
                        "overwrite", sets: \.replaces, to: true,
                        "Replace an existing file, or an HLS or DASH directory.")
                ]),
            .service,
        ])
}

extension Command {
    package static func jobs(_ run: @escaping Run<JobsSettings>) -> Command {
        Command(
            "jobs", "list a service's jobs",
            grammar: .jobs,
            examples: [Example("vtx jobs --state failed", "Failed jobs and their errors")],
            run: run)
    }

    package static func watch(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "watch", "follow a service's job until it ends",
            details: [
                "The exit code is that of vtx transcode for the job."
            ],
            grammar: .job,
            run: run)
    }

    package static func cancel(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command("cancel", "cancel a service's job", grammar: .job, run: run)
    }

    package static func pause(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "pause", "pause a service's job",
            details: [
                "The worker stops at the last complete group of pictures and frees its device. vtx unpause resumes the "
                    + "job from there."
            ],
            grammar: .job, run: run)
    }

    package static func unpause(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "unpause", "resume a service's paused job",
            details: ["The job is queued again. (vtx resume is for files that vtx transcode left unfinished.)"],
            grammar: .job, run: run)
    }

    package static func retry(_ run: @escaping Run<JobIDSettings>) -> Command {
        Command(
            "retry", "retry a service's job",
            details: ["For jobs that failed, were cancelled, or were skipped by a watch folder's rules."],
            grammar: .job, run: run)
    }

    package static func download(_ run: @escaping Run<DownloadSettings>) -> Command {
        Command(
            "download", "download the output of a service's job",
            details: ["The output gets its name when it is complete."],
            grammar: .download,
            examples: [Example("vtx download 4m5x8k2r7d9w3c6h1j0q out.mp4", "Save the output as out.mp4")],
            run: run)
    }
}
