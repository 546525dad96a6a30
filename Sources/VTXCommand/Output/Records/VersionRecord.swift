import VTX

/// What `vtx version --json` says.
struct VersionRecord: Record {
    let type = "version"
    let version: String
    let libraries: [Library]

    struct Library: Encodable, Sendable {
        let name: String
        let version: String
    }

    init(version: String, libraries: [LibraryVersion]) {
        self.version = version
        self.libraries = libraries.map { Library(name: $0.name, version: $0.version) }
    }
}
