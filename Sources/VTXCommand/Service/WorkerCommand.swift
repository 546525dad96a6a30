import VTXTask

/// What `vtx worker` was told.
package struct WorkerSettings: CommandSettings {
    package var cluster: [String]?
    package var state: String?
    package var roots: [String] = []
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
                    "The NATS servers of the cluster, as vtx serve has them: nats://HOST:4222, or several with commas "
                        + "between."),
                .optional(
                    "state", .directory, into: \.state,
                    "Where to keep what is this worker's own. By default worker in the directory that vtx serve has."),
                .list(
                    "root", .directory, into: \.roots,
                    "A directory that jobs may read from and write to, under the same path as on the server; may be "
                        + "given several times. By default the current directory."),
            ]),
        OptionGroup(
            "URLs",
            [
                .value(
                    "input-limit", .byteCount, into: \.inputLimit, "The most bytes of a source that is fetched."),
                .list(
                    "url-host", .urlHost, into: \.urlHosts,
                    "A host that jobs may name in URLs, by https and at public addresses, as vtx serve has it. May be "
                        + "given several times."),
                .list(
                    "private-url-host", .urlHost, into: \.privateURLHosts,
                    "The same for a host that may have a private address, and be used without TLS."),
            ]),
    ])
}

extension Command {
    package static func worker(_ run: @escaping Run<WorkerSettings>) -> Command {
        Command(
            "worker", "do the jobs of a cluster on this host",
            details: [
                "Claims jobs that were submitted to vtx serve --cluster, as long as this host has engines for them. Where "
                    + "a worker is lost, another one goes on with its jobs, from their journals.",
                "SIGTERM and Ctrl-C stop the jobs at their next checkpoint and give them back.",
            ],
            grammar: .worker,
            examples: [
                Example("vtx worker --cluster nats://10.0.0.5:4222 --root /media", "On each host with a GPU")
            ],
            run: run)
    }
}
