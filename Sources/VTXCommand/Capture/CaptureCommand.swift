import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct CaptureSettings: CommandSettings, CopyingSettings {
    var request = CaptureRequest()
    var printsJSON = false
    var isQuiet = false

    var firstOutput = ""
    var moreOutputs: [String] = []

    init() {}

    /// The request including its outputs.
    var order: CaptureRequest {
        var request = request
        request.outputs = [firstOutput] + moreOutputs
        return request
    }
}

extension CaptureSettings {
    /// Refuses options for an input that has no use for them.
    fileprivate func check() throws(UsageError) {
        guard let input = request.input else { return }
        let usual = CaptureRequest()
        let isTest = input == CaptureRequest.testDevice
        guard isTest || input == StandardStream.path else { return }
        let option: String? =
            if request.listens { "--listen" } else if request.reconnectSeconds != usual.reconnectSeconds {
                "--reconnect"
            } else if isTest, request.deinterlacing != usual.deinterlacing { "--deinterlace" } else { nil }
        if let option { throw .conflict("--input \(input)", option) }
    }
}

extension Command {
    static let capture = Command(
        "capture", "record a camera or a live input to files and live outputs",
        details: [
            "Records a camera (V4L2) to OUTPUT, encoded in real time, on a GPU if there is one. Size, rate and format "
                + "are the camera's nearest to those asked for; vtx devices lists them. "
                + "--audio-device adds the audio of a microphone (ALSA).",
            "--input records a network stream, a pipe or a growing file instead, with its audio: rtmp://, rtsp://, "
                + "srt://, udp:// (MPEG-TS), - for standard input, or a file name. A lost connection is reopened, and "
                + "the recording continues.",
            "Ctrl-C, SIGTERM and SIGHUP end the recording with exit code 0; a second one stops at once. OUTPUT has its "
                + "name from the start and can be played at any time up to its last second, even if vtx is killed. If the "
                + "camera is unplugged or delivers nothing for 5 seconds, the file is completed and the exit code is "
                + "\(ExitCode.capture.rawValue).",
            "Several OUTPUTs share one encode. A live output never blocks the others: on a slow network it drops "
                + "frames up to the next key frame; a lost connection is retried after 0.5 to 8 seconds, and continues "
                + "with a key frame. If one output fails the others go on, and the exit code reports it at the end. "
                + "Standard output is such a live output; it fails if its reader closes it.",
            "If the encoder is too slow, the oldest waiting frames are dropped and counted; memory does not grow.",
        ],
        grammar: Grammar<CaptureSettings>(
            positionals: [
                .required(
                    .captureOutput, into: \.firstOutput,
                    "The file to write; its extension chooses the container: "
                        + "\(alternatives(Container.allCases.filter { $0 != .webm }.pathExtensions)). "
                        + "MP4 and QuickTime are fragmented. For a playlist (.m3u8), segments of fragmented MP4 are written "
                        + "next to it (HLS). Or the URL of a live output: rtmp://, srt:// or udp://; or - for standard "
                        + "output. More may follow.")
            ],
            groups: [
                OptionGroup("Camera", cameraOptions), OptionGroup("Live input", inputOptions),
                OptionGroup("Encoding", encodingOptions),
                OptionGroup("Playlist", playlistOptions), OptionGroup("Output", outputOptions),
            ],
            rules: OptionRules(
                exclusive: OptionRules.copying.exclusive + [
                    ["hevc", "h264"], ["quality", "bitrate"], ["hls-window", "hls-all"], ["input", "device"],
                    ["input", "wait"], ["input", "audio-device"],
                ],
                requirements: ["listen", "reconnect", "deinterlace", "no-audio"].map {
                    OptionRules.Requirement(option: $0, needs: "input")
                }),
            further: \CaptureSettings.moreOutputs),
        examples: [
            Example("vtx capture out.mp4", "The first camera, until Ctrl-C"),
            Example("vtx capture out.mp4 --device /dev/video2 --size 1920x1080 --fps 30 --duration 1:00", "One minute"),
            Example("vtx capture out.mp4 --audio-device default", "With a microphone"),
            Example("vtx capture - out.mp4 --format ts | mpv -", "Record and watch"),
            Example("vtx capture out.mp4 rtmp://localhost/live/key --h264", "Record and stream"),
            Example("vtx capture live/out.m3u8 out.mp4", "Live HLS and a recording"),
            Example("vtx capture out.mp4 --input rtsp://camera/stream", "A network camera, with audio"),
            Example("vtx capture live/out.m3u8 --input growing.ts", "A file that another program is writing"),
            Example("vtx capture out.mkv --input test: --duration 5", "A test picture and tone, without a camera"),
        ],
        run: { settings, console throws(UsageError) in
            try settings.check()
            return CaptureCommandRun(settings, console).run()
        })

    private static let cameraOptions: [Option<CaptureSettings>] = [
        .value(
            "device", .cameraDevice, into: \.request.device,
            "The camera: its node, or \(CaptureRequest.testDevice) for a test picture."),
        .optional(
            "audio-device", .audioDevice, into: \.request.audioDevice,
            "The microphone: an ALSA device, such as default; vtx devices lists them. By default there is no audio."
        ),
        .optional(
            "size", .pictureSize, into: \.request.size,
            "Frame size; the camera's nearest is used. By default 1280x720."),
        .optional(
            "fps", .frameRate, into: \.request.frameRate,
            "Frame rate; the camera's nearest at that size is used. By default 30."),
        .flag(
            "wait", sets: \.request.waits, to: true,
            "Wait for a camera that is missing or unplugged, and continue the recording when it appears."),
        .flag("mirror", sets: \.request.isMirrored, to: true, "Swap left and right, as a mirror does."),
        .optional(
            "duration", .timeSpan, into: \.request.duration,
            "Recording duration. By default until Ctrl-C or SIGTERM."),
    ]

    private static let inputOptions: [Option<CaptureSettings>] = [
        .optional(
            "input", .captureInput, into: \.request.input,
            "What to record instead of a camera: a URL (rtmp://, rtsp://, srt://, udp://), - for standard input, a "
                + "file that another program is still writing, or \(CaptureRequest.testDevice) for a test picture "
                + "with a tone."),
        .flag(
            "listen", sets: \.request.listens, to: true,
            "Listen for the sender (rtmp://, rtsp:// and srt://) instead of connecting to it."),
        .value(
            "reconnect", .secondsOrNone, into: \.request.reconnectSeconds,
            "Seconds to keep reconnecting to a lost input, or to wait for a file to grow, before the recording ends; "
                + "0 ends it at once."),
        .value(
            "deinterlace", .choice("WHEN"), into: \.request.deinterlacing,
            "Which frames of the input to deinterlace: auto those marked as interlaced, on all, off none. field makes "
                + "a frame of each field: 25 frames a second become 50."),
        .flag("no-audio", sets: \.request.takesAudio, to: false, "Drop the input's audio."),
    ]

    private static let playlistOptions: [Option<CaptureSettings>] = [
        .value(
            "hls-segment", .count(from: 1, to: 60), into: \.request.playlist.segmentSeconds,
            "Segment duration of a playlist (.m3u8) in seconds. Segments begin with key frames."),
        .optional(
            "hls-part", .count(from: 250, to: 1000), into: \.request.playlist.partMilliseconds,
            "Duration of partial segments in milliseconds (LL-HLS): lower latency, more requests. By default there are "
                + "none."),
        .value(
            "hls-window", .count(from: 3, to: 10_000), into: \.request.playlist.window,
            "Number of segments in the playlist. Older segments are deleted."),
        .flag(
            "hls-all", sets: \.request.playlist.keepsAll, to: true,
            "Keep and list all segments, so that players can seek back to the beginning."),
    ]

    private static let outputOptions: [Option<CaptureSettings>] = [
        .optional(
            "format", .container(of: CaptureRequest.formats), into: \.request.format,
            "Container of standard output, by default Matroska. MP4 and MOV are fragmented."),
        .flag(
            "overwrite", short: "y", sets: \.request.overwrite, to: .replace,
            "Replace an existing output as soon as the recording begins."),
        .flag(
            "no-clobber", short: "n", sets: \.request.overwrite, to: .skip,
            "Keep an existing output, and exit with code 0."),
        .json(sets: \.printsJSON),
        .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print only errors."),
    ]

    private static let encodingOptions: [Option<CaptureSettings>] = [
        .flag("hevc", sets: \.request.codec, to: VideoCodec.hevc, "Encode HEVC (H.265)."),
        .flag(
            "h264", sets: \.request.codec, to: VideoCodec.h264,
            "Encode H.264 (AVC). By default HEVC where a GPU encodes it, otherwise H.264."),
        .optional(
            "quality", .quality, into: \.request.quality,
            "Constant quality, 0 to 100, as for vtx transcode. By default 70."),
        .optional(
            "bitrate", .bitrate(from: "1k", to: "1G"), into: \.request.bitrate,
            "Average bit rate, instead of constant quality; a live output lowers it if it is too slow."),
        .value(
            "hw", .choice("WHEN"), into: \.request.hardware,
            "Use of GPUs for encoding, and for decoding live inputs: auto, require or off."),
    ]
}

extension ValueType where Value == String {
    static var captureOutput: ValueType {
        ValueType(
            "OUTPUT", expects: "a file name, a URL, or - for standard output", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }

    static var captureInput: ValueType {
        ValueType(
            "URL", expects: "a URL, a file name, - for standard input, or \(CaptureRequest.testDevice)",
            completion: .files, read: { $0.isEmpty ? nil : $0 })
    }

    static var audioDevice: ValueType {
        ValueType("DEVICE", expects: "a name of ALSA's, such as default or plughw:1,0", read: { $0.isEmpty ? nil : $0 })
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
