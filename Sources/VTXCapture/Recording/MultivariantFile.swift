import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXPlaylist
import VTXSystem
import VTXTask

/// The multivariant playlist beside a live playlist: what players look at first where they choose by codec, size and bit
/// rate. It is written when something is known of the bit rate, and again where that or the coding is another one.
struct MultivariantFile {
    private let path: String
    /// Seconds of a segment.
    private let segmentSeconds: Double
    private var variant: HLSVariant
    /// What the file says; empty before there is one.
    private var written = ""
    private var peak = 0.0
    private var bits = 0.0
    private var seconds = 0.0

    /// - Parameters:
    ///   - playlist: the media playlist's name, without the directory.
    ///   - replaces: a file that has the name may go.
    init(_ path: String, of playlist: String, segmentSeconds: Int, replaces: Bool) throws(TranscodeError) {
        guard replaces || !AtomicFile.exists(path) else { throw TranscodeError(existing: path) }
        self.path = path
        self.segmentSeconds = Double(segmentSeconds)
        variant = HLSVariant(name: playlist, codecs: [], resolution: "", videoRange: "SDR", frameRate: nil)
    }

    /// What comes from here on is coded as this packet is.
    mutating func describe(_ packet: CapturePacket) {
        let (video, format) = (packet.parameters, packet.format)
        let audio = format.audio?.parameters
        variant.codecs = [video, audio].compactMap { $0 }.compactMap {
            CodecString.of($0.codecName, extradata: $0.extradata)
        }
        variant.resolution = "\(video.size)"
        variant.videoRange = format.color.videoRange
        variant.frameRate = format.frameRate.value
    }

    /// A part tells the bit rate where no segment is whole yet.
    mutating func note(partOf bytes: Int, seconds: Double) throws(TranscodeError) {
        let rate = Double(bytes) * 8 / max(0.001, seconds)
        try write(peak: peak == 0 ? rate : peak, average: peak == 0 ? rate : bits / max(0.001, self.seconds))
    }

    /// A segment is whole. One that is too short tells no bit rate (RFC 8216bis, 4.1: peak segment bit rate).
    mutating func note(segmentOf bytes: Int, seconds: Double, isLast: Bool) throws(TranscodeError) {
        bits += Double(bytes) * 8
        self.seconds += seconds
        if seconds >= segmentSeconds / 2 || peak == 0 { peak = max(peak, Double(bytes) * 8 / max(0.001, seconds)) }
        try write(peak: peak, average: bits / max(0.001, self.seconds), isLast: isLast)
    }

    /// What comes may take more: while it goes on, there is a quarter more than what has come, and nothing is written as
    /// long as that is enough.
    private mutating func write(peak: Double, average: Double, isLast: Bool = false) throws(TranscodeError) {
        if isLast || peak > Double(variant.peak) {
            variant.peak = Int((isLast ? peak : 1.25 * peak).rounded(.up))
            variant.average = Int(average.rounded(.up))
        }
        let text = variant.playlist
        guard text != written else { return }
        try reportingOutputErrors { () throws(AtomicFileError) in
            let file = try AtomicFile.reserve(path, replaces: true)
            try file.write(text)
            try file.commit()
        }
        written = text
    }
}
