/// A media playlist that players read again and again while it grows (RFC 8216, 6.2.2). Pure.
package struct LivePlaylist: Sendable, Hashable {
    package struct Segment: Sendable, Hashable {
        /// The file's name; it lies beside the playlist.
        package var name: String
        /// Of the file with what a decoder has to know first (`EXT-X-MAP`).
        package var initialization: String
        /// Seconds.
        package var duration: Double
        /// When its first picture was taken (ISO 8601).
        package var date: String
        /// Its times or its coding do not go on from the segment before (`EXT-X-DISCONTINUITY`).
        package var isDiscontinuous: Bool

        package init(
            name: String, initialization: String, duration: Double, date: String, isDiscontinuous: Bool = false
        ) {
            self.name = name
            self.initialization = initialization
            self.duration = duration
            self.date = date
            self.isDiscontinuous = isDiscontinuous
        }
    }

    /// How many of the last segments are listed; nil for all (`EXT-X-PLAYLIST-TYPE:EVENT`).
    package let window: Int?
    /// There will be no more segments.
    package var hasEnded = false

    package private(set) var segments: [Segment] = []
    /// Those that are listed no more, and that players may still be reading.
    private var former: [Segment] = []
    private var sequence: Int
    private var discontinuitySequence = 0
    private var targetDuration: Int

    /// - Parameters:
    ///   - seconds: of a segment.
    ///   - sequence: the first segment's number.
    package init(seconds: Double, window: Int?, sequence: Int) {
        self.window = window
        self.sequence = sequence
        targetDuration = Int(seconds.rounded(.up))
    }

    /// - Returns: the files that no player may be reading any more. A segment has to be there for its own duration and that
    ///   of the longest playlist that had it (RFC 8216, 6.2.2).
    package mutating func add(_ segment: Segment) -> [String] {
        segments.append(segment)
        // It must not change (RFC 8216, 6.2.1), but a camera that pauses makes a segment longer.
        targetDuration = max(targetDuration, Int(segment.duration.rounded()))
        guard let window, segments.count > window else { return [] }
        let first = segments.removeFirst()
        former.append(first)
        sequence += 1
        if first.isDiscontinuous { discontinuitySequence += 1 }
        return former.count > window + 1 ? [former.removeFirst()].flatMap(files) : []
    }

    /// A segment, and its initialization where no other has it.
    private func files(of segment: Segment) -> [String] {
        let isShared = (former + segments).contains { $0.initialization == segment.initialization }
        return [segment.name] + (isShared ? [] : [segment.initialization])
    }

    package var text: String {
        HLSText.head + HLSText.targetDuration(targetDuration) + "#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
            + (discontinuitySequence > 0 ? "#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)\n" : "")
            + (window == nil ? "#EXT-X-PLAYLIST-TYPE:EVENT\n" : "") + HLSText.independentSegments
            + segments.indices.map(lines).joined() + (hasEnded ? HLSText.end : "")
    }

    private func lines(_ index: Int) -> String {
        let segment = segments[index]
        let isKnown = index > 0 && segments[index - 1].initialization == segment.initialization
        return (segment.isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : "")
            + (isKnown
                ? "" : HLSText.tag("EXT-X-MAP", [("URI", HLSText.quoted(HLSText.uri(segment.initialization)))]))
            + "#EXT-X-PROGRAM-DATE-TIME:\(segment.date)\n" + HLSText.segmentDuration(segment.duration)
            + "\(HLSText.uri(segment.name))\n"
    }
}

/// When segments begin: with the first frame at a multiple of their length, or after it. Pure.
package struct SegmentSchedule: Sendable, Hashable {
    private let length: Int64
    private var next: Int64 = 0

    /// - Parameter length: in ticks.
    package init(length: Int64) { self.length = max(1, length) }

    /// Whether a segment begins with a frame at this time; of several one after the other, with the first alone.
    package mutating func begins(at ticks: Int64) -> Bool {
        guard ticks >= next else { return false }
        next = (ticks / length + 1) * length
        return true
    }
}

/// The names of a live playlist's files, beside it: `out-1795590212.m4s` for `out.m3u8`. Pure.
package struct SegmentNames: Sendable, Hashable {
    private let stem: String

    /// - Parameter playlist: its name, without the directory.
    package init(playlist: String) {
        stem = playlist.lastIndex(of: ".").map { String(playlist[..<$0]) } ?? playlist
    }

    package func segment(_ number: Int) -> String { "\(stem)-\(number).m4s" }

    /// What a decoder has to know for the segment with this number and those after it.
    package func initialization(_ number: Int) -> String { "\(stem)-\(number).mp4" }

    /// Whether a file is of a recording that began before this number.
    package func isEarlier(_ name: String, than number: Int) -> Bool {
        guard name.hasPrefix("\(stem)-"), name.hasSuffix(".m4s") || name.hasSuffix(".mp4") else { return false }
        let digits = name.dropFirst(stem.count + 1).dropLast(4)
        // Numbers begin with the seconds since 1970.
        return digits.count == 10 && digits.allSatisfy(\.isASCII) && Int(digits).map { $0 < number } ?? false
    }
}
