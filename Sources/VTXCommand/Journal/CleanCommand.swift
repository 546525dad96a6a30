import VTXTask

/// What `vtx clean` was told.
struct CleanSettings: CommandSettings {
    var directory: String?
    var furtherDirectories: [String] = []
    var removes = false

    init() {}
}

extension Command {
    static let clean = Command(
        "clean", "list and remove what unfinished transcodes have left",
        details: [
            "Lists the journals in the directories, with the output that each is of. Those that a running vtx writes are "
                + "left out."
        ],
        grammar: Grammar<CleanSettings>(
            positionals: [
                .optional(.directory, into: \.directory, "Where to look. By default the current directory.")
            ],
            groups: [
                OptionGroup("Options", [.flag("yes", short: "y", sets: \.removes, to: true, "Remove them.")])
            ], further: \CleanSettings.furtherDirectories),
        examples: [
            Example("vtx clean videos", "What could still be finished there"),
            Example("vtx clean videos --yes", "Give it up"),
        ],
        run: { settings, console throws(UsageError) in
            let directories = [settings.directory ?? "."] + settings.furtherDirectories
            let found: [UnfinishedTranscode]
            do throws(TranscodeError) {
                found = try Workers.live(console).unfinished(.listUnfinished(directories: directories))
            } catch { return console.report(error, asJSON: false) }
            for transcode in found {
                console.output.write("\(Format.bytes(transcode.byteCount))  \(name(transcode).printable)\n")
                if settings.removes { transcode.remove() }
            }
            console.say(nil, summary(found, isRemoved: settings.removes))
            return .success
        })

    private static func name(_ transcode: UnfinishedTranscode) -> String {
        transcode.output.isEmpty ? transcode.path : transcode.output
    }

    private static func summary(_ found: [UnfinishedTranscode], isRemoved: Bool) -> String {
        if found.isEmpty { return "nothing is left of unfinished transcodes" }
        let bytes = Format.bytes(found.reduce(0) { $0 + $1.byteCount })
        if isRemoved { return "\(bytes) removed" }
        return "\(bytes) could be removed: --yes does it, vtx resume OUTPUT goes on with one"
    }
}
