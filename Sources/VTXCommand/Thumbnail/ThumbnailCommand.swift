import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct ThumbnailSettings: CommandSettings {
    var job = ThumbnailJob(input: "", output: "")
    /// What to do if the picture exists.
    var overwrite = OverwritePolicy.refuse
    var isSandboxed = false
    var printsJSON = false

    init() {}
}

extension Command {
    static let thumbnail = Command(
        "thumbnail", "make a thumbnail of a video",
        details: [
            "Decodes one frame of INPUT in software and writes it as JPEG, rotated as players show it, with square "
                + "pixels, and HDR converted to SDR."
        ],
        grammar: .thumbnail,
        examples: [
            Example("vtx thumbnail in.mkv in.jpg", "A frame a tenth into the video"),
            Example("vtx thumbnail in.mkv in.jpg --at 1:30 --side 640", "A larger one, at 1:30"),
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
                .jpeg, into: \.job.output, "The JPEG file to write; its name ends in .jpg or .jpeg."),
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .optional(
                        "at", .timestamp, into: \.job.seconds,
                        "Position of the frame, in seconds or as [H:]MM:SS. By default a tenth into the video."),
                    .value(
                        "side", .side, into: \.job.side,
                        "Longer side of the thumbnail in pixels. Smaller videos are not enlarged."),
                    .flag(
                        "overwrite", short: "y", sets: \.overwrite, to: .replace,
                        "Replace an existing file."),
                    .flag(
                        "sandbox", sets: \.isSandboxed, to: true,
                        "Sandbox the process that reads INPUT, for untrusted files: no network, and no files but INPUT "
                            + "and the directory of OUTPUT. Requires Landlock in the kernel."),
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
            // There is nothing to clean up, so one signal suffices.
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

/// Only the end is reported.
private final class ThumbnailListener: WorkerListener {
    func report(_ event: WorkerEvent) -> Bool { true }
}
