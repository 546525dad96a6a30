/// A stream that a multivariant playlist names (`EXT-X-STREAM-INF`, with RFC 8216bis's attributes where Apple's authoring
/// rules ask for them). Pure.
package struct HLSVariant: Sendable {
    /// Of its media playlist, which lies beside.
    package var name: String
    /// Bits a second of the segment that takes the most.
    package var peak = 0
    /// Bits a second of all segments.
    package var average = 0
    /// RFC 6381: `avc1.640028`.
    package var codecs: [String]
    /// `1280x720`
    package var resolution: String
    /// `SDR`, `PQ` or `HLG`.
    package var videoRange: String
    /// Frames a second; nil where nothing is known.
    package var frameRate: Double?
    /// Groups of renditions that go with it, by their types: `AUDIO`.
    package var groups: [(type: String, id: String)] = []

    package init(name: String, codecs: [String], resolution: String, videoRange: String, frameRate: Double?) {
        self.name = name
        self.codecs = codecs
        self.resolution = resolution
        self.videoRange = videoRange
        self.frameRate = frameRate
    }

    /// Of a playlist that offers nothing else.
    package var playlist: String { HLSText.head + HLSText.independentSegments + text }

    package var text: String {
        let attributes =
            [("BANDWIDTH", "\(peak)"), ("AVERAGE-BANDWIDTH", "\(average)")] + picture
            + (frameRate.map { [("FRAME-RATE", Decimal.text($0, digits: 3))] } ?? [])
            + groups.map { ($0.type, HLSText.quoted($0.id)) }
        return HLSText.tag("EXT-X-STREAM-INF", attributes) + "\(HLSText.uri(name))\n"
    }

    /// What its key frames have too (`EXT-X-I-FRAME-STREAM-INF`).
    package var picture: [(String, String)] {
        (codecs.isEmpty ? [] : [("CODECS", HLSText.quoted(codecs.joined(separator: ",")))])
            + [("RESOLUTION", resolution), ("VIDEO-RANGE", videoRange)]
    }
}
