import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct ExtractSettings: CommandSettings, CopyingSettings {
    var job = ExtractJob(input: "")
    var printsJSON = false
    var isQuiet = false

    init() {}
}

extension Command {
    static let extract = Command(
        "extract", "extract a container's video as a byte stream",
        details: [
            "Writes the H.264 or HEVC video of INPUT to OUTPUT as a byte stream (Annex B), without re-encoding. NAL "
                + "units keep their order and get four-byte start codes; parameter sets that are only in the "
                + "container's header come first. vtx mux is the inverse.",
            "OUTPUT gets its name only when it is complete and verified.",
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
                            "Video stream to extract, counted from 0."),
                        .flag(
                            "drop-delimiters", sets: \.job.dropsDelimiters, to: true,
                            "Drop access unit delimiters, which only MPEG-TS requires."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying),
        examples: [Example("vtx extract in.mp4 out.h264", "The H.264 video of an MP4, bit for bit")],
        run: { settings, console throws(UsageError) in
            CopyRun(.extract(settings.job), settings, console).run()
        })
}

struct MuxSettings: CommandSettings, CopyingSettings {
    var job = MuxJob(input: "", output: "")
    /// The arguments after the first two.
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
        "mux", "mux a byte stream, or the streams of several files, into a container",
        details: [
            "Writes the H.264 or HEVC byte stream INPUT (Annex B) into the container OUTPUT, without re-encoding. "
                + "Frames are evenly spaced and get presentation times from their picture order. vtx extract returns "
                + "every NAL unit, and every byte if all start codes have four bytes. In MPEG-TS, missing access unit "
                + "delimiters are added.",
            "Parameter sets that occur once, before the first picture, go only to the container's header (avc1, hvc1). "
                + "Repeated or changing ones also stay in the samples (avc3, hev1), unless --parameter-sets record is "
                + "given.",
            "With more arguments, the last one is OUTPUT, INPUT may be a container, and all audio and subtitles of the "
                + "other files are muxed too. Their names may be followed by :language=deu, :title=TEXT, :default and "
                + ":forced.",
            "OUTPUT gets its name only when it is complete and has been compared with the input.",
        ],
        grammar: Grammar<MuxSettings>(
            positionals: [
                .required(
                    .filePath("INPUT"), into: \.job.input,
                    "The byte stream to read; with other files, it may be a container."
                ),
                .required(
                    .filePath("OUTPUT"), into: \.job.output,
                    "The file to write, the last argument; its extension chooses the container: "
                        + "\(alternatives(Container.allCases.filter { !$0.isElementaryStream }.pathExtensions))."),
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .optional(
                            "fps", .frameRate, into: \.job.frameRate,
                            "Frame rate. By default the one in the parameter sets."),
                        .value(
                            "parameter-sets", .choice("WHERE"), into: \.job.parameterSets,
                            "Where to store parameter sets. record drops unchanged repetitions from the samples, for "
                                + "players that support only avc1 and hvc1."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying, further: \MuxSettings.furtherArguments),
        examples: [
            Example("vtx mux video.h264 audio.m4a movie.de.srt out.mkv", "Mux video, audio and subtitles"),
            Example("vtx mux in.h264 out.mp4 --fps 25", "A byte stream into MP4"),
            Example("vtx mux in.h265 out.mp4 --parameter-sets record", "An MP4 for players that require hvc1"),
        ],
        run: { settings, console throws(UsageError) in
            CopyRun(.mux(settings.joined), settings, console).run()
        })
}

/// Common settings of commands that write a file without re-encoding.
protocol CopyingSettings: Sendable {
    var printsJSON: Bool { get set }
    var isQuiet: Bool { get set }
}

extension Array {
    /// Options for the output and its messages.
    static func copying<Settings: CommandSettings & CopyingSettings>(
        overwrite: any Option<Settings>.Path<OverwritePolicy>
    ) -> Self where Element == Option<Settings> {
        overwriting(overwrite) + [
            .json(sets: \.printsJSON),
            .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print only errors."),
        ]
    }

    /// The same flags as for `vtx transcode`.
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

/// Reports only that the work is stopping; the rest is in the result.
private final class CopyListener: WorkerListener {
    private let reporter: any Reporter

    init(_ reporter: any Reporter) { self.reporter = reporter }

    func report(_ event: WorkerEvent) -> Bool { true }
    func stopping() { reporter.stopping() }
}
