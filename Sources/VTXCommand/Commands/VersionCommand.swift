import VTXTask

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
            do throws(TranscodeError) {
                let libraries = try Workers.live(console).libraries()
                if settings.printsJSON {
                    let record = VersionRecord(version: Program.version, libraries: libraries)
                    console.output.write(record.line + ResultRecord.success.line)
                } else {
                    let rows = [["vtx", Program.version]] + libraries.map { [$0.name, $0.version] }
                    console.output.write(PlanText.table(rows).map { $0 + "\n" }.joined())
                }
                return .success
            } catch { return console.report(error, asJSON: settings.printsJSON) }
        })
}

/// What `vtx version --json` says.
struct VersionRecord: Record {
    let type = "version"
    let version: String
    let libraries: [LibraryVersion]
}
