import VTXFFmpeg
import VTXMedia
import VTXTask

/// What a recording can be made of beside a camera.
enum CaptureInput: Sendable, Hashable {
    /// A picture and a tone of vtx's own.
    case test
    case standardInput
    case network(InputURL)

    init(_ text: String) throws(TranscodeError) {
        switch text {
        case CaptureRequest.testDevice: self = .test
        case "-": self = .standardInput
        default: self = .network(try InputURL(text))
        }
    }
}

/// Where an input comes from, and how libavformat is asked for it.
struct InputURL: Sendable, Hashable {
    /// As users name it.
    let text: String
    let url: String
    let scheme: String
    /// libavformat's name of the demuxer.
    let format: String

    /// The schemes, what they carry, and the protocols that are used on the way.
    private static let known: [(scheme: String, format: String, protocols: [String])] = [
        ("rtmp", "flv", ["rtmp", "tcp"]), ("rtsp", "rtsp", ["rtsp", "rtp", "udp", "tcp"]),
        ("srt", "mpegts", ["srt"]), ("udp", "mpegts", ["udp"]),
    ]

    init(_ text: String) throws(TranscodeError) {
        guard let url = LiveURL(text), let entry = Self.known.first(where: { $0.scheme == url.scheme }) else {
            throw TranscodeError(
                .inputProtocol, "'\(text)' is no input that can be recorded",
                hint:
                    "allowed: \(alternatives(Self.known.map { "\($0.scheme)://" } + ["test:", "-"])); vtx transcode takes files"
            )
        }
        guard url.isCompleteInput else {
            throw TranscodeError(
                .inputProtocol, "'\(text)' does not say where it comes from",
                hint: "rtmp://HOST/APP/KEY, rtsp://HOST/PATH, srt://HOST:PORT or udp://:PORT")
        }
        guard Demuxer.reads(protocol: entry.scheme) else {
            throw TranscodeError(.inputProtocol, "this build of FFmpeg does not read from \(entry.scheme)://")
        }
        self.text = text
        self.url = url.spelledForLibavformat
        (scheme, format) = (entry.scheme, entry.format)
    }

    var protocols: [String] { Self.known.first { $0.scheme == scheme }?.protocols ?? [] }

    /// - Parameter listens: the sender connects, not vtx.
    func options(listens: Bool) -> [(String, String)] {
        switch scheme {
        case "rtmp": return listens ? [("listen", "1")] : []
        case "rtsp": return [("rtsp_flags", listens ? "listen" : "prefer_tcp")]
        case "srt": return listens ? [("mode", "listener")] : []
        // A picture may take longer to decode than the system's buffer lasts.
        default: return [("fifo_size", "65536"), ("overrun_nonfatal", "1"), ("buffer_size", "\(1 << 20)")]
        }
    }
}
