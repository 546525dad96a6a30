import VTXMedia
import VTXTask
import VTXWorker

struct NALSettings: CommandSettings {
    var listing = NALDump(input: "")
    var printsJSON = false

    init() {}
}

extension Command {
    static let nal = Command(
        "nal", "list the NAL units of an H.264 or HEVC stream",
        details: [
            "Lists each NAL unit of FILE with its offset, size and type, and the main fields of slice headers and "
                + "parameter sets. FILE is a byte stream (Annex B) or a container, detected by content, and is read "
                + "once as a stream.",
            "The offset is the one in the file. If the container stores packets in another form, it is the packet's "
                + "number and the offset in the packet; parameter sets in the container's header are marked as record.",
        ],
        grammar: Grammar<NALSettings>(
            positionals: [
                .required(.inputPath("FILE"), into: \.listing.input, "The file to read, or - for standard input.")
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .value(
                            "video", .position, into: \.listing.videoPosition,
                            "Video stream of a container, counted from 0."),
                        .optional(
                            "codec", .choice("CODEC"), into: \.listing.codec,
                            "Codec of a byte stream. By default detected from its parameter sets."),
                        .flag(
                            "json", sets: \.printsJSON, to: true,
                            "Print JSON records, one per line: the stream, NAL units, then the result."),
                    ])
            ]),
        examples: [
            Example("vtx nal in.h264 | head", "The beginning of a byte stream"),
            Example("vtx nal in.mp4 --json | grep '\"keyFrame\":true'", "All key frame slices"),
            Example("ffmpeg -i in.mkv -c copy -f hevc - | vtx nal -", "From a pipe"),
        ],
        run: { settings, console throws(UsageError) in
            NALRun(settings, console).list()
        })
}

struct NALRun: Sendable {
    let listing: NALDump
    let console: Console
    let workers: Workers

    init(_ settings: NALSettings, _ console: Console, _ workers: Workers? = nil) {
        var listing = settings.listing
        listing.form = settings.printsJSON ? .json : .text
        self.listing = listing
        self.console = console
        self.workers = workers ?? .live(console)
    }

    func list() -> ExitCode {
        let listener = NALListener(console, listing.form)
        // There is nothing to clean up, so one signal suffices.
        let policy = Supervision.Policy(mayUseHardware: false, endsAtFirstStop: true)
        do throws(TranscodeError) {
            _ = try workers.run(WorkerOrder(.listNALUnits(listing)), policy, listener).get()
            return listener.finish()
        } catch {
            return console.report(error, asJSON: listing.form == .json)
        }
    }
}

/// Prints a list as it arrives.
final class NALListener: WorkerListener {
    private let console: Console
    private let form: NALDump.Form
    private var notices: [Notice] = []
    private var outcome = TranscodeResult.Outcome.completed

    init(_ console: Console, _ form: NALDump.Form) {
        self.console = console
        self.form = form
    }

    /// - Returns: false if the reader has closed the pipe.
    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .output(let lines): console.output.write(lines)
        case .transcode(.notice(let notice)): add(notice)
        case .answer(.listed(let outcome)): self.outcome = outcome
        default: break
        }
        return console.output.hasReader
    }

    func finish() -> ExitCode {
        let code = ExitCode(outcome)
        if form == .json { console.output.write(ResultRecord(code, notices: notices).line) }
        return code
    }

    private func add(_ notice: Notice) {
        notices.append(notice)
        console.say(.warning, notice.message.withFlags)
        if form == .json { console.output.write(TranscodeEvent.notice(notice).line) }
    }
}
