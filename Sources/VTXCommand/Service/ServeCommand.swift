package import VTXSystem
import VTXTask

/// What `vtx serve` was told.
package struct ServeSettings: CommandSettings {
    package var listen = ListenAddress("127.0.0.1:8080")!
    package var state: String?
    package var roots: [String] = []
    package var tokenFile: String?
    package var hostNames: [String] = []
    package var certificateFile: String?
    package var keyFile: String?
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
                    "Where to listen. Other addresses than this host's own need a token."),
                .optional(
                    "state", .directory, into: \.state,
                    "Where to keep jobs. By default $STATE_DIRECTORY, $XDG_STATE_HOME/vtx, /var/lib/vtx for root, or "
                        + "~/.local/state/vtx."),
                .list(
                    "root", .directory, into: \.roots,
                    "A directory that jobs may read from and write to; may be given several times. By default the "
                        + "current directory."),
                .optional(
                    "token-file", .filePath("FILE"), into: \.tokenFile,
                    "A file with the token that clients have to show. By default clients on this host need none."),
                .list(
                    "host-name", .urlHost, into: \.hostNames,
                    "A name by which clients call a server that listens on this host's own address, such as a reverse "
                        + "proxy's. May be given several times."),
                .optional(
                    "tls-cert", .filePath("FILE"), into: \.certificateFile,
                    "A file with the certificate, and those above it, in PEM: HTTPS alone is spoken then."),
                .optional("tls-key", .filePath("FILE"), into: \.keyFile, "A file with the certificate's key in PEM."),
                .optional(
                    "cluster", .natsServers, into: \.cluster,
                    "Have workers on other hosts do the jobs, by these NATS servers: nats://HOST:4222, or several with "
                        + "commas between. They start with vtx worker. By default this host does them."),
            ]),
        OptionGroup(
            "Uploads and URLs",
            [
                .optional(
                    "shared", .directory, into: \.shared,
                    "With --cluster: a directory below a root, which all hosts see under this path. It has what is "
                        + "uploaded, and outputs that are downloaded. By default a cluster takes no uploads."),
                .value(
                    "input-limit", .byteCount, into: \.inputLimit,
                    "The most bytes of an upload, and of a source that is fetched."),
                .list(
                    "url-host", .urlHost, into: \.urlHosts,
                    "A host that jobs may name in URLs of sources, outputs and callbacks, by https and at public "
                        + "addresses; .example.com is all below that name, * is any. May be given several times. By "
                        + "default there is none."),
                .list(
                    "private-url-host", .urlHost, into: \.privateURLHosts,
                    "The same for a host that may have a private address, and be used without TLS."),
                .optional(
                    "callback-secret-file", .filePath("FILE"), into: \.callbackSecretFile,
                    "A file with the secret that signs callbacks; it is made where it is not there. By default "
                        + "callback-secret in the state's directory."),
            ]),
    ])
}

extension Command {
    package static func serve(_ run: @escaping Run<ServeSettings>) -> Command {
        Command(
            "serve", "take jobs over HTTP and run them",
            details: [
                "Serves the API and a dashboard, keeps jobs in SQLite, and runs each in a process of its own. A server "
                    + "that was killed goes on where it was: jobs whose workers still run are followed, the others go on "
                    + "from their journals.",
                "SIGTERM and Ctrl-C stop the workers and the server; the next start takes up their jobs.",
            ],
            grammar: .serve,
            examples: [
                Example("vtx serve --root /media", "The dashboard is at http://127.0.0.1:8080"),
                Example("vtx serve --root /media --cluster nats://10.0.0.5:4222", "Workers on other hosts do the jobs"),
                Example("vtx serve --listen :8080 --token-file /etc/vtx/token --root /media", "For other hosts"),
            ],
            run: run)
    }
}
