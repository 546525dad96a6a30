/// A variant stream in a multivariant playlist (`EXT-X-STREAM-INF`), with attributes of RFC 8216bis that Apple's
/// authoring rules require. Pure.
package struct HLSVariant: Sendable {
    /// The name of its media playlist, in the same directory.
    package var name: String
    /// The highest bit rate of a segment, in bits per second.
    package var peak = 0
    /// The average bit rate of all segments, in bits per second.
    package var average = 0
    /// RFC 6381: `avc1.640028`.
    package var codecs: [String]
    /// `1280x720`
    package var resolution: String
    /// `SDR`, `PQ` or `HLG`.
    package var videoRange: String
    /// Frames per second; nil if unknown.
    package var frameRate: Double?
    /// The groups of its renditions, with their types: `AUDIO`.
    package var groups: [(type: String, id: String)] = []

    package init(name: String, codecs: [String], resolution: String, videoRange: String, frameRate: Double?) {
        self.name = name
        self.codecs = codecs
        self.resolution = resolution
        self.videoRange = videoRange
        self.frameRate = frameRate
    }

    /// A multivariant playlist with only this variant.
    package var playlist: String { HLSText.head + HLSText.independentSegments + text }

    package var text: String {
        let attributes =
            [("BANDWIDTH", "\(peak)"), ("AVERAGE-BANDWIDTH", "\(average)")] + picture
            + (frameRate.map { [("FRAME-RATE", Decimal.text($0, digits: 3))] } ?? [])
            + groups.map { ($0.type, HLSText.quoted($0.id)) }
        return HLSText.tag("EXT-X-STREAM-INF", attributes) + "\(HLSText.uri(name))\n"
    }

    /// The attributes shared with its I-frame playlist (`EXT-X-I-FRAME-STREAM-INF`).
    package var picture: [(String, String)] {
        (codecs.isEmpty ? [] : [("CODECS", HLSText.quoted(codecs.joined(separator: ",")))])
            + [("RESOLUTION", resolution), ("VIDEO-RANGE", videoRange)]
    }
}
