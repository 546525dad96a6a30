import VTX
import VTXTask
import VTXTranscode

/// What `vtx version` was told.
struct VersionSettings: CommandSettings {
    var printsJSON = false

    init() {}
}

extension Command {
    static let version = Command(
        "version", "show the versions of vtx and of the libraries it runs with",
        grammar: Grammar<VersionSettings>(groups: [
            OptionGroup(
                "Options",
                [
                    .flag(
                        "json", sets: \.printsJSON, to: true,
                        "Print JSON records, one a line: a version, then a result.")
                ])
        ]),
        run: { settings, console throws(UsageError) in
            let libraries = LibraryVersion.linked
            if settings.printsJSON {
                let record = VersionRecord(version: Program.version, libraries: libraries)
                console.output.write(record.line + ResultRecord.success.line)
            } else {
                let rows = [["vtx", Program.version]] + libraries.map { [$0.name, $0.version] }
                console.output.write(PlanText.table(rows).map { $0 + "\n" }.joined())
            }
            return .success
        })
}

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
