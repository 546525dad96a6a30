import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// What `vtx extract` was told.
struct ExtractSettings: CommandSettings, CopyingSettings {
    var job = ExtractJob(input: "")
    var printsJSON = false
    var isQuiet = false

    init() {}
}

extension Command {
    static let extract = Command(
        "extract", "take a container's video out as a byte stream",
        details: [
            "Writes the H.264 or HEVC video of INPUT to OUTPUT as a byte stream (Annex B), without coding it again. "
                + "Every NAL unit of the packets comes in its order, after a start code of four bytes; parameter "
                + "sets that only the container's header holds come first. vtx mux is the way back.",
            "The output appears under its name only when it is whole and has been read back.",
        ],
        grammar: Grammar<ExtractSettings>(
            positionals: [
                .required(.filePath("INPUT"), into: \.job.input, "The container to read."),
                .optional(
                    .filePath("OUTPUT"), into: \.job.output,
                    "The byte stream to write: \(alternatives(Container.allCases.filter(\.isElementaryStream).pathExtensions)). "
                        + "By default a name beside the input."),
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .value(
                            "video", .position, into: \.job.videoPosition,
                            "Which of the video streams to take, counted from 0."),
                        .flag(
                            "drop-delimiters", sets: \.job.dropsDelimiters, to: true,
                            "Leave out access unit delimiters, which MPEG-TS demands and others do not need."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying),
        examples: [Example("vtx extract in.mp4 out.h264", "The H.264 video of an MP4, every bit of it")],
        run: { settings, console throws(UsageError) in
            CopyRun(.extract(settings.job), settings, console).run()
        })
}

/// What `vtx mux` was told.
struct MuxSettings: CommandSettings, CopyingSettings {
    var job = MuxJob(input: "", output: "")
    /// Arguments after the first two.
    var furtherArguments: [String] = []
    var printsJSON = false
    var isQuiet = false

    init() {}
}

extension MuxSettings {
    /// The last argument is the output.
    var joined: MuxJob {
        guard let output = furtherArguments.last else { return job }
        var job = job
        job.additions = [job.output] + furtherArguments.dropLast()
        job.output = output
        return job
    }
}

extension Command {
    static let mux = Command(
        "mux", "put a byte stream, or the streams of several files, into a container",
        details: [
            "Puts the H.264 or HEVC byte stream INPUT (Annex B) into the container OUTPUT, without coding it again. "
                + "Frames follow one another evenly; pictures that refer to later ones get the times at which they "
                + "are shown. vtx extract gives back every NAL unit, and where all start codes have four bytes, "
                + "every byte. In MPEG-TS each picture has to have an access unit delimiter, and gets one where it "
                + "had none.",
            "Parameter sets that stand once, before the first picture, go to the container's header (avc1, "
                + "hvc1). Those that come again or change stay in the samples as well (avc3, hev1), unless "
                + "--parameter-sets record asks for the header alone.",
            "With more arguments the last one is the output. INPUT, which may be a container then, has the video, and all audio "
                + "and subtitles of the other files go into the output too. After the name of one of these may stand "
                + ":language=deu, :title=TEXT, :default and :forced.",
            "The output appears under its name only when it is whole and has been compared with the input.",
        ],
        grammar: Grammar<MuxSettings>(
            positionals: [
                .required(
                    .filePath("INPUT"), into: \.job.input, "The byte stream to read, or a container beside other files."
                ),
                .required(
                    .filePath("OUTPUT"), into: \.job.output,
                    "The file to write, after all others; its extension chooses the container: "
                        + "\(alternatives(Container.allCases.filter { !$0.isElementaryStream }.pathExtensions))."),
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .optional(
                            "fps", .frameRate, into: \.job.frameRate,
                            "Frames a second. By default what the stream's parameter sets say."),
                        .value(
                            "parameter-sets", .choice("WHERE"), into: \.job.parameterSets,
                            "Where they are kept. record leaves out of the samples those that come again without a "
                                + "change, for players that know avc1 and hvc1 alone."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying, further: \MuxSettings.furtherArguments),
        examples: [
            Example("vtx mux video.h264 audio.m4a movie.de.srt out.mkv", "One file of several"),
            Example("vtx mux in.h264 out.mp4 --fps 25", "An MP4 of a byte stream"),
            Example("vtx mux in.h265 out.mp4 --parameter-sets record", "An MP4 for players that want hvc1"),
        ],
        run: { settings, console throws(UsageError) in
            CopyRun(.mux(settings.joined), settings, console).run()
        })
}

/// What commands have in common that write a file and code nothing again.
protocol CopyingSettings: Sendable {
    var printsJSON: Bool { get set }
    var isQuiet: Bool { get set }
}

extension Array {
    /// The options about the output, and about what is said of it.
    static func copying<Settings: CommandSettings & CopyingSettings>(
        overwrite: any Option<Settings>.Path<OverwritePolicy>
    ) -> Self where Element == Option<Settings> {
        overwriting(overwrite) + [
            .json(sets: \.printsJSON),
            .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
        ]
    }

    /// The same flags as those of `vtx transcode`.
    private static func overwriting<Settings: CommandSettings>(
        _ path: any Option<Settings>.Path<OverwritePolicy>
    ) -> Self where Element == Option<Settings> {
        FlagSpelling.shorthands.filter { $0.option == .overwrite }.compactMap { flag in
            OverwritePolicy(rawValue: flag.value).map {
                .flag(flag.long, short: flag.short, sets: path, to: $0, flag.help)
            }
        }
    }
}

extension OptionRules {
    static let copying = OptionRules(exclusive: [["overwrite", "no-clobber"]])
}

/// One run of such a command.
struct CopyRun: Sendable {
    private let task: WorkerTask
    private let reporter: any Reporter
    private let workers: Workers

    init(_ task: WorkerTask, _ settings: some CopyingSettings, _ console: Console) {
        self.task = task
        let style = TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: false, showsSummary: !settings.isQuiet, drawsBar: false,
            printsBlocks: false)
        reporter = settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
        workers = .live(console)
    }

    func run() -> ExitCode {
        do throws(TranscodeError) {
            let last = try workers.run(
                WorkerOrder(task), Supervision.Policy(mayUseHardware: false), CopyListener(reporter)
            ).get()
            guard case .result(let result) = last else { return .success }
            reporter.finish(result)
            return result.exitCode
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }
}

/// Tells the user that the work stops; all else comes with the result.
private final class CopyListener: WorkerListener {
    private let reporter: any Reporter

    init(_ reporter: any Reporter) { self.reporter = reporter }

    func report(_ event: WorkerEvent) -> Bool { true }
    func stopping() { reporter.stopping() }
}
