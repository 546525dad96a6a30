import VTXProbe
import VTXSystem
import VTXTask
import VTXWorker

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
                        "Print JSON records, one per line: the version, then the result.")
                ])
        ]),
        run: { settings, console throws(UsageError) in
            do throws(TranscodeError) {
                let libraries = try libraries(console)
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

    /// Returns the libraries of the worker, which loads them to query them; cached as long as nothing has changed.
    private static func libraries(_ console: Console) throws(TranscodeError) -> [LibraryVersion] {
        let file = (try? Launch.worker()).flatMap { WorkerAnswerFile.libraries(of: $0.executable) }
        if let known = file?.answer() { return known }
        let libraries = try Workers.live(console).libraries()
        file?.keep(libraries)
        return libraries
    }
}

/// The record of `vtx version --json`.
struct VersionRecord: Record {
    let type = "version"
    let version: String
    let libraries: [LibraryVersion]
}
