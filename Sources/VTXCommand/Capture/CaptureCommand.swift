import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// What `vtx capture` was told.
struct CaptureSettings: CommandSettings, CopyingSettings {
    var request = CaptureRequest()
    var printsJSON = false
    var isQuiet = false

    var firstOutput = ""
    var moreOutputs: [String] = []

    init() {}

    /// The request with its outputs.
    var order: CaptureRequest {
        var request = request
        request.outputs = [firstOutput] + moreOutputs
        return request
    }
}

extension Command {
    static let capture = Command(
        "capture", "record a camera or a live input to files and live outputs",
        details: [
            "Records the pictures of a camera (V4L2) to OUTPUT as they come, encoded in real time on a GPU where there "
                + "is one, else in software. There is no audio of a camera. It gives the size, rate and format that are "
                + "nearest to what is asked for; vtx devices lists what it has.",
            "--input records what comes by a network or a pipe instead, with its audio: rtmp://, rtsp://, srt://, "
                + "udp:// (MPEG-TS) or - for standard input. A connection that is lost is made again, and the recording "
                + "goes on.",
            "Ctrl-C, SIGTERM and SIGHUP end the recording, which is a success; the same again stops at once. OUTPUT has "
                + "its name from the beginning, and plays up to its last second at every moment, even where vtx is "
                + "killed. A camera that is unplugged, or gives nothing for 5 seconds, ends the file whole, and "
                + "the command with exit code \(ExitCode.capture.rawValue).",
            "Several OUTPUTs are written from one encoding. A live output never holds up the others: where the network is "
                + "too slow, it lacks frames up to the next key frame; where the connection is cut, it is made again, after "
                + "half a second up to eight, with a key frame. An output that fails does not end the others; the exit "
                + "code tells of it at the end.",
            "Where the encoder is too slow, pictures that have waited longest are left out, and counted at the end: "
                + "memory does not grow.",
        ],
        grammar: Grammar<CaptureSettings>(
            positionals: [
                .required(
                    .captureOutput, into: \.firstOutput,
                    "A file to write; its extension says which: "
                        + "\(alternatives(Container.allCases.filter { $0 != .webm }.pathExtensions)). "
                        + "MP4 and QuickTime are fragmented. A playlist (.m3u8) has segments of fragmented MP4 beside it "
                        + "(HLS). Or the URL of a live output: rtmp://, srt:// or udp://. "
                        + "More of them may follow.")
            ],
            groups: [
                OptionGroup("Camera", cameraOptions), OptionGroup("Live input", inputOptions),
                OptionGroup("Encoding", encodingOptions),
                OptionGroup("Playlist", playlistOptions), OptionGroup("Output", outputOptions),
            ],
            rules: OptionRules(
                exclusive: OptionRules.copying.exclusive + [
                    ["hevc", "h264"], ["quality", "bitrate"], ["hls-window", "hls-all"], ["input", "device"],
                    ["input", "wait"],
                ],
                requirements: ["listen", "reconnect", "deinterlace", "no-audio"].map {
                    OptionRules.Requirement(option: $0, needs: "input")
                }),
            further: \CaptureSettings.moreOutputs),
        examples: [
            Example("vtx capture out.mp4", "The first camera, until Ctrl-C"),
            Example("vtx capture out.mp4 --device /dev/video2 --size 1920x1080 --fps 30 --duration 1:00", "A minute"),
            Example("vtx capture out.mp4 rtmp://localhost/live/key --h264", "A recording, and the same live"),
            Example("vtx capture live/out.m3u8 out.mp4", "The last half minute for players (HLS), and a recording"),
            Example("vtx capture out.mp4 --input rtsp://camera/stream", "A network camera, with its audio"),
            Example("vtx capture out.mkv --input test: --duration 5", "A test picture and a tone, without a camera"),
        ],
        run: { settings, console throws(UsageError) in CaptureCommandRun(settings, console).run() })

    private static let cameraOptions: [Option<CaptureSettings>] = [
        .value(
            "device", .cameraDevice, into: \.request.device,
            "The camera: its node, or \(CaptureRequest.testDevice) for a test picture."),
        .optional(
            "size", .pictureSize, into: \.request.size,
            "The pictures' size; the nearest that the camera has is taken. By default 1280x720."),
        .optional(
            "fps", .frameRate, into: \.request.frameRate,
            "Pictures a second; the nearest that the camera has in that size is taken. By default 30."),
        .flag(
            "wait", sets: \.request.waits, to: true,
            "Wait for a camera that is not there, or is unplugged; the recording goes on when it is there again."),
        .optional(
            "duration", .timeSpan, into: \.request.duration,
            "How long to record. By default until Ctrl-C or SIGTERM."),
    ]

    private static let inputOptions: [Option<CaptureSettings>] = [
        .optional(
            "input", .captureInput, into: \.request.input,
            "What to record instead of a camera: a URL (rtmp://, rtsp://, srt://, udp://), - for standard input, or "
                + "\(CaptureRequest.testDevice) for a test picture with a tone."),
        .flag(
            "listen", sets: \.request.listens, to: true,
            "Wait until the sender connects (rtmp://, rtsp:// and srt://) instead of connecting to it."),
        .value(
            "reconnect", .secondsOrNone, into: \.request.reconnectSeconds,
            "For how many seconds an input that is lost is tried again before the recording ends; 0 ends it at once."),
        .value(
            "deinterlace", .choice("WHEN"), into: \.request.deinterlacing,
            "Which pictures of the input to deinterlace: auto takes those that say they are interlaced, on takes all, off none. "
                + "field makes a picture of each field: 50 a second of 25."),
        .flag("no-audio", sets: \.request.takesAudio, to: false, "Leave the input's audio out."),
    ]

    private static let playlistOptions: [Option<CaptureSettings>] = [
        .value(
            "hls-segment", .count(from: 1, to: 60), into: \.request.playlist.segmentSeconds,
            "Seconds of a segment of a playlist (.m3u8). Each begins with a key frame."),
        .optional(
            "hls-part", .count(from: 250, to: 1000), into: \.request.playlist.partMilliseconds,
            "List parts of N milliseconds before their segment is whole (LL-HLS): less delay, more requests. "
                + "By default there are no parts."),
        .value(
            "hls-window", .count(from: 3, to: 10_000), into: \.request.playlist.window,
            "How many of the last segments the playlist lists. Files of earlier ones are removed a while later."),
        .flag(
            "hls-all", sets: \.request.playlist.keepsAll, to: true,
            "Keep all segments, and list them: players can go back to the beginning."),
    ]

    private static let outputOptions: [Option<CaptureSettings>] = [
        .flag(
            "overwrite", short: "y", sets: \.request.overwrite, to: .replace,
            "Replace an existing output from the beginning of the recording on."),
        .flag(
            "no-clobber", short: "n", sets: \.request.overwrite, to: .skip,
            "Leave an existing output alone and end with exit code 0."),
        .json(sets: \.printsJSON),
        .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
    ]

    private static let encodingOptions: [Option<CaptureSettings>] = [
        .flag("hevc", sets: \.request.codec, to: VideoCodec.hevc, "Encode HEVC (H.265)."),
        .flag(
            "h264", sets: \.request.codec, to: VideoCodec.h264,
            "Encode H.264 (AVC). By default HEVC where a GPU encodes it, else H.264."),
        .optional(
            "quality", .quality, into: \.request.quality,
            "Constant quality, 0 to 100, as for vtx transcode. By default 70."),
        .optional(
            "bitrate", .bitrate(from: "1k", to: "1G"), into: \.request.bitrate,
            "An average bit rate instead of a constant quality."),
        .value(
            "hw", .choice("WHEN"), into: \.request.hardware,
            "Whether a GPU may (auto), must (require) or must not (off) encode. But for off, it decodes a live input too, "
                + "where it can."),
    ]
}

extension ValueType where Value == String {
    static var captureOutput: ValueType {
        ValueType(
            "OUTPUT", expects: "a file name or a URL; there is no standard output here", completion: .files,
            read: { $0.isEmpty || $0 == "-" ? nil : $0 })
    }

    static var captureInput: ValueType {
        ValueType(
            "URL", expects: "a URL, - for standard input, or \(CaptureRequest.testDevice)",
            read: { $0.isEmpty ? nil : $0 })
    }

    static var cameraDevice: ValueType {
        ValueType(
            "CAMERA", expects: "a node such as /dev/video0, or \(CaptureRequest.testDevice)", completion: .files,
            read: { $0 == CaptureRequest.testDevice || $0.hasPrefix("/") ? $0 : nil })
    }
}

extension ValueType where Value == Double {
    static var secondsOrNone: ValueType {
        let seconds = ValueType<Int>.count(from: 0, to: 86_400)
        return ValueType(
            seconds.description.name, expects: seconds.description.expected, write: { "\(Int($0))" },
            read: { seconds.read($0).map(Double.init) })
    }
}

extension ValueType where Value == PixelSize {
    static var pictureSize: ValueType {
        ValueType(
            "WxH", expects: "WIDTHxHEIGHT, each from 16 to 16384, such as 1280x720",
            read: { text in
                guard text.consists(of: "0123456789x"), let size = PixelSize(text) else { return nil }
                return [size.width, size.height].allSatisfy((16...16384).contains) ? size : nil
            })
    }
}

/// One run of the command.
struct CaptureCommandRun: Sendable {
    private let settings: CaptureSettings
    private let console: Console
    private let workers: Workers

    init(_ settings: CaptureSettings, _ console: Console, _ workers: Workers? = nil) {
        self.settings = settings
        self.console = console
        self.workers = workers ?? .live(console)
    }

    func run() -> ExitCode {
        let listener = CaptureListener(settings, console)
        let policy = Supervision.Policy(
            mayUseHardware: settings.request.hardware != .off && RenderNodes.exist, secondRun: .impossible)
        do throws(TranscodeError) {
            let last = try workers.run(WorkerOrder(.capture(settings.order)), policy, listener).get()
            guard case .result(let result) = last else { return .success }
            listener.reporter.finish(result)
            return result.exitCode
        } catch {
            listener.reporter.fail(error)
            return error.exitCode
        }
    }
}

/// Tells the user what is recorded.
private final class CaptureListener: WorkerListener {
    let reporter: any Reporter
    private let settings: CaptureSettings
    private let console: Console

    init(_ settings: CaptureSettings, _ console: Console) {
        (self.settings, self.console) = (settings, console)
        let style = TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: false, showsSummary: !settings.isQuiet,
            drawsBar: console.terminal.redrawsLines && !settings.isQuiet, printsBlocks: false)
        reporter = settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
    }

    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .capturing(let description): begin(description)
        case .transcode(let event): reporter.report(event)
        case .log(let line): reporter.relay(line)
        default: break
        }
        return true
    }

    func stopping() { reporter.stopping() }

    private func begin(_ description: CaptureDescription) {
        if settings.printsJSON { return console.output.write(ValueRecord(type: "capture", value: description).line) }
        if !settings.isQuiet { reporter.relay(description.line) }
    }
}

extension CaptureDescription {
    /// `recording /dev/video0: 1280x720 MJPG, 30 fps, to out.mp4: H.264 by software (libavcodec)`.
    fileprivate var line: String {
        let decoding = decoder.map { "decoded by \($0), " } ?? ""
        return
            "recording \(device) (\(format), \(size), \(Format.rate(frameRate)) fps\(audio.map { ", \($0)\(copiesAudio == true ? " copied" : "")" } ?? "")) to \(outputs.joined(separator: ", ")): \(decoding)\(codec) by \(encoder)"
    }
}
