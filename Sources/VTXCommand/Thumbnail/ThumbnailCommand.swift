import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// What `vtx thumbnail` was told.
struct ThumbnailSettings: CommandSettings {
    var job = ThumbnailJob(input: "", output: "")
    /// Of a picture that is there already.
    var overwrite = OverwritePolicy.refuse
    var isSandboxed = false
    var printsJSON = false

    init() {}
}

extension Command {
    static let thumbnail = Command(
        "thumbnail", "draw a small picture of a video",
        details: [
            "Decodes INPUT in software up to one picture, by default a tenth of the way into it, and writes it as JPEG: "
                + "turned as players show it, with square pixels, and HDR as SDR."
        ],
        grammar: .thumbnail,
        examples: [
            Example("vtx thumbnail in.mkv in.jpg", "What the video looks like"),
            Example("vtx thumbnail in.mkv in.jpg --at 1:30 --side 640", "A larger picture, of a moment"),
        ],
        run: { settings, console throws(UsageError) in
            ThumbnailRun(settings, console).run()
        })
}

extension Grammar where Settings == ThumbnailSettings {
    static let thumbnail = Grammar(
        positionals: [
            .required(.filePath("INPUT"), into: \.job.input, "The file to read."),
            .required(
                .jpeg, into: \.job.output, "The picture to write; its name ends with .jpg or .jpeg."),
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .optional(
                        "at", .timestamp, into: \.job.seconds,
                        "Which picture, in seconds or as [H:]MM:SS. By default one a tenth of the way into the video."),
                    .value(
                        "side", .side, into: \.job.side,
                        "The longer side of the picture, in pixels. A smaller video keeps its size."),
                    .flag(
                        "overwrite", short: "y", sets: \.overwrite, to: .replace,
                        "Replace a picture that is there already."),
                    .flag(
                        "sandbox", sets: \.isSandboxed, to: true,
                        "For files of strangers: the process that reads INPUT can open nothing but INPUT and the directory "
                            + "of OUTPUT, and no network. An error where the kernel has no Landlock."),
                    .json(sets: \.printsJSON),
                ])
        ])
}

extension ValueType where Value == String {
    fileprivate static var jpeg: ValueType {
        ValueType(
            "FILE.jpg", expects: "the path of a file whose name ends with .jpg or .jpeg", completion: .files,
            read: { path in [".jpg", ".jpeg"].contains { path.lowercased().hasSuffix($0) } ? path : nil })
    }
}

extension ValueType where Value == Int {
    fileprivate static var side: ValueType {
        let sides = ThumbnailJob.sides
        return ValueType(
            "PIXELS", expects: "a number from \(sides.lowerBound) to \(sides.upperBound)", write: { "\($0)" },
            read: { text in Int(text).flatMap { sides.contains($0) ? $0 : nil } })
    }
}

/// One run of `vtx thumbnail`.
struct ThumbnailRun: Sendable {
    private let settings: ThumbnailSettings
    private let console: Console
    private let workers: Workers

    init(_ settings: ThumbnailSettings, _ console: Console, _ workers: Workers? = nil) {
        (self.settings, self.console) = (settings, console)
        self.workers = workers ?? .live(console)
    }

    func run() -> ExitCode {
        do throws(TranscodeError) {
            var job = settings.job
            job.replaces = settings.overwrite == .replace
            // Nothing has to be put in order first, so one signal is enough.
            let policy = Supervision.Policy(mayUseHardware: false, endsAtFirstStop: true)
            let order = WorkerOrder(.drawThumbnail(job), isSandboxed: settings.isSandboxed)
            _ = try workers.run(order, policy, ThumbnailListener()).get()
            if settings.printsJSON { console.output.write(ResultRecord.written(job.output).line) }
            return .success
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }
}

/// The end is all that there is to hear of.
private final class ThumbnailListener: WorkerListener {
    func report(_ event: WorkerEvent) -> Bool { true }
}
