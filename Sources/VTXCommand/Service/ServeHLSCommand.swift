package import VTXSystem
import VTXTask

package struct ServeHLSSettings: CommandSettings {
    package var directory = ""
    package var listen = ListenAddress("127.0.0.1:8080")!
    package var printsJSON = false

    package init() {}
}

extension Grammar where Settings == ServeHLSSettings {
    static let serveHLS = Grammar(
        positionals: [
            .required(
                .directory, into: \.directory,
                "The directory with the playlist. Its playlists, media, pictures and pages are served, also those in "
                    + "directories below; hidden files are not.")
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .value(
                        "listen", .listenAddress, into: \.listen,
                        "Address and port to listen on; with port 0 a free one. Other hosts can reach addresses other "
                            + "than loopback, and need no token."),
                    .json(sets: \.printsJSON),
                ])
        ])
}

extension Command {
    package static func serveHLS(_ run: @escaping Run<ServeHLSSettings>) -> Command {
        Command(
            "serve-hls", "serve live playlists to players",
            details: [
                "Serves the playlists of vtx capture in DIR over HTTP, with what low latency needs (LL-HLS) and other "
                    + "web servers do not have: a request for the next version of a playlist, or for its next part, is "
                    + "answered when that exists.",
                "Ctrl-C, SIGTERM and SIGHUP end the server with exit code 0.",
            ],
            grammar: .serveHLS,
            examples: [
                Example("vtx serve-hls live", "Players open http://127.0.0.1:8080/out-master.m3u8"),
                Example("vtx serve-hls live --listen :8080", "Accept players on other hosts"),
            ],
            run: run)
    }
}

/// Reports that a server accepts connections.
package struct ServingRecord: Record {
    package let type = "serving"
    let url: String
    let port: UInt16
    let directory: String

    package init(url: String, port: UInt16, directory: String) {
        (self.url, self.port, self.directory) = (url, port, directory)
    }
}
