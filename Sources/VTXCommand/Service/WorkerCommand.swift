import VTXTask

package struct WorkerSettings: CommandSettings {
    package var cluster: [String]?
    package var state: String?
    package var roots: [String] = []
    package var mayReplaceSources = false
    package var urlHosts: [String] = []
    package var privateURLHosts: [String] = []
    package var inputLimit: Int64 = 100_000_000_000

    package init() {}
}

extension Grammar where Settings == WorkerSettings {
    static let worker = Grammar(groups: [
        OptionGroup(
            "Options",
            [
                .optional(
                    "cluster", .natsServers, into: \.cluster,
                    "The NATS servers of the cluster, as for vtx serve: nats://HOST:4222, or several with commas "
                        + "between."),
                .optional(
                    "state", .directory, into: \.state,
                    "State directory of this worker. By default worker in that of vtx serve."),
                .list(
                    "root", .directory, into: \.roots,
                    "A directory that jobs may read from and write to, at the same path as on the server. May be given "
                        + "several times. By default the current directory."),
                .flag(
                    "allow-replace", sets: \.mayReplaceSources, to: true,
                    "Allow jobs to replace their sources, as for vtx serve, which needs it too."),
            ]),
        OptionGroup(
            "URLs",
            [
                .value(
                    "input-limit", .byteCount, into: \.inputLimit, "Maximum size of sources fetched from URLs."),
                .list(
                    "url-host", .urlHost, into: \.urlHosts,
                    "Host allowed in URLs, over https and at public addresses, as for vtx serve. May be given several "
                        + "times."),
                .list(
                    "private-url-host", .urlHost, into: \.privateURLHosts,
                    "Likewise a host that may have a private address and may be used without TLS."),
            ]),
    ])
}

extension Command {
    package static func worker(_ run: @escaping Run<WorkerSettings>) -> Command {
        Command(
            "worker", "run a cluster's jobs on this host",
            details: [
                "Claims jobs submitted to vtx serve --cluster while this host has free engines. If a worker is lost, "
                    + "another resumes its jobs from their journals.",
                "SIGTERM and Ctrl-C stop the jobs at their next checkpoint and return them to the queue.",
            ],
            grammar: .worker,
            examples: [
                Example("vtx worker --cluster nats://10.0.0.5:4222 --root /media", "On each host with a GPU")
            ],
            run: run)
    }
}
