import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXPlaylist
import VTXSystem
import VTXTask

/// The multivariant playlist next to a live playlist, which players read first to choose by codec, size and bit rate.
/// It is written once the bit rate is known, and again if that or the codec changes.
struct MultivariantFile {
    private let path: String
    /// The duration of a segment, in seconds.
    private let segmentSeconds: Double
    private var variant: HLSVariant
    /// The file's contents; empty before it exists.
    private var written = ""
    private var peak = 0.0
    private var bits = 0.0
    private var seconds = 0.0

    /// - Parameters:
    ///   - playlist: The media playlist's name, without the directory.
    ///   - replaces: Whether to replace an existing file.
    init(_ path: String, of playlist: String, segmentSeconds: Int, replaces: Bool) throws(TranscodeError) {
        guard replaces || !AtomicFile.exists(path) else { throw TranscodeError(existing: path) }
        self.path = path
        self.segmentSeconds = Double(segmentSeconds)
        variant = HLSVariant(name: playlist, codecs: [], resolution: "", videoRange: "SDR", frameRate: nil)
    }

    /// Describes the encoding of this and the following packets.
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

    /// Estimates the bit rate from a part until a segment is complete.
    mutating func note(partOf bytes: Int, seconds: Double) throws(TranscodeError) {
        let rate = Double(bytes) * 8 / max(0.001, seconds)
        try write(peak: peak == 0 ? rate : peak, average: peak == 0 ? rate : bits / max(0.001, self.seconds))
    }

    /// Updates the bit rate from a complete segment. Segments that are too short are ignored (RFC 8216bis, 4.1: peak
    /// segment bit rate).
    mutating func note(segmentOf bytes: Int, seconds: Double, isLast: Bool) throws(TranscodeError) {
        bits += Double(bytes) * 8
        self.seconds += seconds
        if seconds >= segmentSeconds / 2 || peak == 0 { peak = max(peak, Double(bytes) * 8 / max(0.001, seconds)) }
        try write(peak: peak, average: bits / max(0.001, self.seconds), isLast: isLast)
    }

    /// Writes the playlist if necessary. While recording, bit rates are a quarter higher than measured, because later
    /// segments may be larger; nothing is written as long as that suffices.
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
