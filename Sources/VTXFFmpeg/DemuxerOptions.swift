import CFFmpeg
import CVTXShims
import VTXMedia

extension Demuxer {
    /// How far to read for a stream that the file lists but that has not appeared yet.
    package struct ProbeLimits: Sendable {
        package var bytes: Int
        package var seconds: Int

        package init(bytes: Int, seconds: Int) {
            self.bytes = bytes
            self.seconds = seconds
        }

        /// Streams of broadcasts may start late. This is only read in full if a stream has not appeared earlier.
        package static let usual = ProbeLimits(bytes: 20_000_000, seconds: 15)
        /// Probing a live stream delays its start.
        package static let live = ProbeLimits(bytes: 5_000_000, seconds: 3)
    }
}

/// The options for opening a file.
struct DemuxerOptions {
    /// libavformat's name of the demuxer; nil to detect it from the contents.
    var format: String?
    /// Demuxers that must not be used.
    var refused: Set<String> = []
    var probeLimits: Demuxer.ProbeLimits = .usual
    var frameRate: Rational?
    /// The libavformat protocols that may be used.
    var protocols = ["file"]
    /// The only demuxers that may be used; empty for all except the refused ones.
    var formats: [String] = []
    /// Further options of the demuxer or the protocol.
    var further: [(String, String)] = []
    /// Interrupts blocking network calls; nil for a file.
    var interruption: NetworkInterruption?
    /// The timeout for opening, in seconds; nil for that of any other call.
    var openingTimeout: Double?

    /// - Parameter source: The source of the bytes, if not the URL.
    /// - Throws: the error of `avformat_open_input`.
    func open(
        _ url: String, _ source: ByteStreamContext?
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFormatContext> {
        var opened: UnsafeMutablePointer<AVFormatContext>?
        if let source {
            // avformat_open_input frees it on failure.
            opened = try require(avformat_alloc_context(), "avformat_alloc_context")
            opened?.pointee.pb = source.pointer
        } else if let interruption {
            opened = try require(avformat_alloc_context(), "avformat_alloc_context")
            opened?.pointee.interrupt_callback = interruption.callback
        }
        interruption?.begin(openingTimeout)
        let known = format.flatMap { av_find_input_format($0) }
        _ = try withDictionary(dictionary) { options throws(FFmpegError) in
            try check(avformat_open_input(&opened, url, known, options), "avformat_open_input")
        }
        guard let opened else { throw FFmpegError("avformat_open_input", vtx_error_external) }
        return opened
    }

    private var dictionary: [(String, String)] {
        // Playlists must not make vtx open other files or connections.
        let limits = [
            ("protocol_whitelist", protocols.joined(separator: ",")), ("format_whitelist", allowedFormats),
            ("probesize", "\(probeLimits.bytes)"), ("analyzeduration", "\(probeLimits.seconds * 1_000_000)"),
        ]
        return limits + further + (frameRate.map { [("framerate", "\($0)")] } ?? [])
    }

    private var allowedFormats: String {
        guard formats.isEmpty else { return formats.joined(separator: ",") }
        var names: [String] = []
        var position: UnsafeMutableRawPointer?
        while let format = av_demuxer_iterate(&position) {
            let name = String(cString: format.pointee.name)
            if !refused.contains(name) { names.append(name) }
        }
        return names.joined(separator: ",")
    }
}
