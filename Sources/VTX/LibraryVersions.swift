import VTXFFmpeg

/// The libraries that this process really runs with, for `--version` and bug reports.
package struct LibraryVersion: Sendable, Hashable {
    package var name: String
    package var version: String

    package static var linked: [LibraryVersion] {
        FFmpegVersions.linked.map { LibraryVersion(name: $0.name, version: $0.version) }
    }
}
