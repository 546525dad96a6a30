import VTXFFmpeg
import VTXMedia
import VTXTask

/// An input other than a camera.
enum CaptureInput: Sendable, Hashable {
    /// A generated picture and tone.
    case test
    case standardInput
    /// A file, which may still grow.
    case file(String)
    case network(InputURL)

    init(_ text: String) throws(TranscodeError) {
        switch text {
        case CaptureRequest.testDevice: self = .test
        case StandardStream.path: self = .standardInput
        default: self = LiveURL(text) == nil ? .file(text) : .network(try InputURL(text))
        }
    }

    /// Whether the user sets the frame rate of a byte stream.
    var takesFrameRate: Bool {
        switch self {
        case .test, .standardInput, .file: true
        case .network: false
        }
    }
}

/// The URL of an input, and the options to open it with libavformat.
struct InputURL: Sendable, Hashable {
    /// The URL as written by the user.
    let text: String
    let url: String
    let scheme: String
    /// libavformat's name of the demuxer.
    let format: String

    /// The schemes, their formats, and the protocols that they use.
    private static let known: [(scheme: String, format: String, protocols: [String])] = [
        ("rtmp", "flv", ["rtmp", "tcp"]), ("rtsp", "rtsp", ["rtsp", "rtp", "udp", "tcp"]),
        ("srt", "mpegts", ["srt"]), ("udp", "mpegts", ["udp"]),
    ]

    init(_ text: String) throws(TranscodeError) {
        guard let url = LiveURL(text), let entry = Self.known.first(where: { $0.scheme == url.scheme }) else {
            throw TranscodeError(
                .inputProtocol, "'\(text)' is not an input that can be recorded",
                hint:
                    "allowed: \(alternatives(Self.known.map { "\($0.scheme)://" } + ["test:", "-", "a file name"]))"
            )
        }
        guard url.isCompleteInput else {
            throw TranscodeError(
                .inputProtocol, "'\(text)' is incomplete",
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

    /// - Parameter listens: Whether the sender connects to vtx.
    func options(listens: Bool) -> [(String, String)] {
        switch scheme {
        case "rtmp": return listens ? [("listen", "1")] : []
        case "rtsp": return [("rtsp_flags", listens ? "listen" : "prefer_tcp")]
        case "srt": return listens ? [("mode", "listener")] : []
        // Decoding a frame may take longer than the system's buffer lasts.
        default: return [("fifo_size", "65536"), ("overrun_nonfatal", "1"), ("buffer_size", "\(1 << 20)")]
        }
    }
}
