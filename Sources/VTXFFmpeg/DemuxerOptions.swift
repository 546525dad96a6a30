import CFFmpeg
import CVTXShims
import VTXMedia

extension Demuxer {
    /// How far to read on for a stream that the file lists and that has not shown itself yet.
    package struct ProbeLimits: Sendable {
        package var bytes: Int
        package var seconds: Int

        package init(bytes: Int, seconds: Int) {
            self.bytes = bytes
            self.seconds = seconds
        }

        /// Broadcasts begin a stream late; this is read only where one has not shown itself sooner.
        package static let usual = ProbeLimits(bytes: 20_000_000, seconds: 15)
        /// A stream that comes in real time keeps those waiting who look at it for long.
        package static let live = ProbeLimits(bytes: 5_000_000, seconds: 3)
    }
}

/// How a file is opened.
struct DemuxerOptions {
    /// libavformat's name of the demuxer; nil where it is told from the contents.
    var format: String?
    /// Demuxers that must not be used.
    var refused: Set<String> = []
    var probeLimits: Demuxer.ProbeLimits = .usual
    var frameRate: Rational?
    /// libavformat's protocols that may be used.
    var protocols = ["file"]
    /// Demuxers that alone may be used; empty for all but the refused ones.
    var formats: [String] = []
    /// Of the demuxer or the protocol.
    var further: [(String, String)] = []
    /// Ends waiting for the other side; nil for a file.
    var interruption: NetworkInterruption?
    /// Seconds that opening may take; nil for as many as any other call.
    var openingTimeout: Double?

    /// - Parameter source: where the bytes come from, if not from the URL.
    /// - Throws: the error of `avformat_open_input`.
    func open(
        _ url: String, _ source: ByteStreamContext?
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFormatContext> {
        var opened: UnsafeMutablePointer<AVFormatContext>?
        if let source {
            // It is freed by the call that fails.
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
        // Playlists and the like must not make vtx open other files, let alone connections.
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
