package import VTXSystem
import VTXTask

package struct ServeSettings: CommandSettings {
    package var listen = ListenAddress("127.0.0.1:8080")!
    package var state: String?
    package var roots: [String] = []
    package var mayReplaceSources = false
    package var tokenFile: String?
    package var hostNames: [String] = []
    package var certificateFile: String?
    package var keyFile: String?
    package var clientAuthorityFile: String?
    package var urlHosts: [String] = []
    package var privateURLHosts: [String] = []
    package var inputLimit: Int64 = 100_000_000_000
    package var callbackSecretFile: String?
    package var cluster: [String]?
    package var shared: String?

    package init() {}
}

extension Grammar where Settings == ServeSettings {
    static let serve = Grammar(groups: [
        OptionGroup(
            "Options",
            [
                .value(
                    "listen", .listenAddress, into: \.listen,
                    "Address and port to listen on. Addresses other than loopback require a token or client certificates."
                ),
                .optional(
                    "state", .directory, into: \.state,
                    "Where to keep jobs. By default $STATE_DIRECTORY, $XDG_STATE_HOME/vtx, /var/lib/vtx for root, or "
                        + "~/.local/state/vtx."),
                .list(
                    "root", .directory, into: \.roots,
                    "A directory that jobs may read from and write to. May be given several times. By default the "
                        + "current directory."),
                .flag(
                    "allow-replace", sets: \.mayReplaceSources, to: true,
                    "Allow jobs and watch folders to replace their sources (the setting replace). Everyone with a token "
                        + "that may submit jobs can then do so for all files below the roots."),
                .optional(
                    "token-file", .filePath("FILE"), into: \.tokenFile,
                    "File with the token that clients must present. By default clients on this host need none."),
                .list(
                    "host-name", .urlHost, into: \.hostNames,
                    "Additional host name that clients use for a server on a loopback address, such as a reverse "
                        + "proxy's. May be given several times."),
                .optional(
                    "tls-cert", .filePath("FILE"), into: \.certificateFile,
                    "TLS certificate chain (PEM). The server then accepts only HTTPS."),
                .optional("tls-key", .filePath("FILE"), into: \.keyFile, "TLS private key (PEM)."),
                .optional(
                    "tls-client-ca", .filePath("FILE"), into: \.clientAuthorityFile,
                    "CA certificates (PEM). A client with a certificate from one of these authorities may do everything; "
                        + "others need a token, on this host too."),
                .optional(
                    "cluster", .natsServers, into: \.cluster,
                    "NATS servers of a cluster, separated by commas: nats://HOST:4222. Jobs then run on hosts that run "
                        + "vtx worker. By default they run on this host."),
            ]),
        OptionGroup(
            "Uploads and URLs",
            [
                .optional(
                    "shared", .directory, into: \.shared,
                    "With --cluster: directory for uploads and downloads, inside a root that all hosts mount at the "
                        + "same path. By default a cluster accepts no uploads."),
                .value(
                    "input-limit", .byteCount, into: \.inputLimit,
                    "Maximum size of uploads and of sources fetched from URLs."),
                .list(
                    "url-host", .urlHost, into: \.urlHosts,
                    "Host allowed in URLs of sources, outputs and callbacks, over https and at public addresses; "
                        + ".example.com allows all subdomains, * any host. May be given several times. By default none "
                        + "is allowed."),
                .list(
                    "private-url-host", .urlHost, into: \.privateURLHosts,
                    "Likewise a host that may have a private address and may be used without TLS."),
                .optional(
                    "callback-secret-file", .filePath("FILE"), into: \.callbackSecretFile,
                    "File with the secret that signs callbacks, created if missing. By default callback-secret in the "
                        + "state directory."),
            ]),
    ])
}

extension Command {
    package static func serve(_ run: @escaping Run<ServeSettings>) -> Command {
        Command(
            "serve", "run the transcoding service",
            details: [
                "Serves the HTTP API and the dashboard, stores jobs in SQLite, and runs each job in its own process. "
                    + "After a crash the next start continues: running workers are picked up, other jobs resume from "
                    + "their journals.",
                "SIGTERM and Ctrl-C stop the workers and the server; the next start resumes their jobs.",
            ],
            grammar: .serve,
            examples: [
                Example("vtx serve --root /media", "The dashboard is at http://127.0.0.1:8080"),
                Example("vtx serve --root /media --cluster nats://10.0.0.5:4222", "Run the jobs on other hosts"),
                Example(
                    "vtx serve --listen :8080 --token-file /etc/vtx/token --root /media",
                    "Accept clients on other hosts"),
            ],
            run: run)
    }
}
