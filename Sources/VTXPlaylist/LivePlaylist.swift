/// A media playlist that players reload while it grows (RFC 8216, 6.2.2). Pure.
///
/// With parts, it also lists the available parts of the segment being written (LL-HLS). It has no hint of the next part
/// (`EXT-X-PRELOAD-HINT`), because players expect such a request to block until the part exists, and a plain web server
/// would return 404. A server that can block adds it (`ServedPlaylist`).
package struct LivePlaylist: Sendable, Hashable {
    /// A few frames of a segment, in a separate file (`EXT-X-PART`).
    package struct Part: Sendable, Hashable {
        package var name: String
        /// Seconds.
        package var duration: Double
        /// Whether it contains a key frame.
        package var isIndependent: Bool

        package init(name: String, duration: Double, isIndependent: Bool) {
            self.name = name
            self.duration = duration
            self.isIndependent = isIndependent
        }
    }

    package struct Segment: Sendable, Hashable {
        /// The name of the file, in the playlist's directory.
        package var name: String
        /// The name of the initialization segment's file (`EXT-X-MAP`).
        package var initialization: String
        /// Seconds.
        package var duration: Double
        /// The wall-clock time of its first frame, counted from the start of the first segment (ISO 8601).
        package var date: String
        /// Whether timestamps or coding parameters differ from the previous segment's (`EXT-X-DISCONTINUITY`).
        package var isDiscontinuous: Bool
        fileprivate var parts: [Part] = []

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

    /// The number of most recent segments to list; nil for all (`EXT-X-PLAYLIST-TYPE:EVENT`).
    package let window: Int?
    /// Whether no more segments follow.
    package var hasEnded = false

    package private(set) var segments: [Segment] = []
    /// The segment being written, of which only parts exist.
    private var current: Segment?
    /// Segments that are no longer listed, but that players may still be reading.
    private var former: [Segment] = []
    /// The parts of recent segments whose files still exist.
    private var parts: [[Part]] = []
    /// The number of complete segments whose parts are listed. Low-latency players never lag farther than that.
    private static let segmentsWithParts = 3
    /// The duration of the longest part in seconds; nil without parts.
    private var partTarget: Double?
    private var sequence: Int
    private var discontinuitySequence = 0
    private var targetDuration: Int

    /// - Parameters:
    ///   - seconds: The duration of a segment.
    ///   - partSeconds: The maximum duration of a part; nil without parts.
    ///   - sequence: The number of the first segment.
    package init(seconds: Double, partSeconds: Double? = nil, window: Int?, sequence: Int) {
        self.window = window
        self.sequence = sequence
        partTarget = partSeconds
        targetDuration = Int(seconds.rounded(.up))
    }

    /// - Parameter segment: The part's segment, whose duration is not known yet.
    package mutating func add(_ part: Part, of segment: Segment) {
        var segment = current ?? segment
        segment.parts.append(part)
        current = segment
        partTarget = partTarget.map { max($0, part.duration) }
    }

    /// - Returns: the files that can be removed. A segment must remain available for its own duration plus that of the
    ///   longest playlist that listed it (RFC 8216, 6.2.2).
    package mutating func add(_ segment: Segment) -> [String] {
        var segment = segment
        segment.parts = current?.parts ?? []
        current = nil
        return addParts(of: segment) + addWhole(segment)
    }

    /// - Returns: the files of parts that have been unlisted for as long as they were listed.
    private mutating func addParts(of segment: Segment) -> [String] {
        parts.append(segment.parts)
        return parts.count > 2 * Self.segmentsWithParts + 1 ? parts.removeFirst().map(\.name) : []
    }

    private mutating func addWhole(_ segment: Segment) -> [String] {
        segments.append(segment)
        // The target duration must not change (RFC 8216, 6.2.1), but a camera that pauses makes a segment longer.
        targetDuration = max(targetDuration, Int(segment.duration.rounded()))
        guard let window, segments.count > window else { return [] }
        let first = segments.removeFirst()
        former.append(first)
        sequence += 1
        if first.isDiscontinuous { discontinuitySequence += 1 }
        return former.count > window + 1 ? [former.removeFirst()].flatMap(files) : []
    }

    /// The segment's file, and its initialization segment's if no other segment uses it.
    private func files(of segment: Segment) -> [String] {
        let isShared = (former + segments).contains { $0.initialization == segment.initialization }
        return [segment.name] + (isShared ? [] : [segment.initialization])
    }

    package var text: String {
        HLSText.head + HLSText.targetDuration(targetDuration) + partHead + "#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
            + (discontinuitySequence > 0 ? "#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)\n" : "")
            + (window == nil ? "#EXT-X-PLAYLIST-TYPE:EVENT\n" : "") + HLSText.independentSegments
            + segments.indices.map(lines).joined() + currentLines + (hasEnded ? HLSText.end : "")
    }

    /// Low-latency players keep a distance of three parts to the end.
    private var partHead: String {
        guard let partTarget else { return "" }
        return HLSText.tag("EXT-X-SERVER-CONTROL", [("PART-HOLD-BACK", Decimal.text(3 * partTarget, digits: 5))])
            + HLSText.tag("EXT-X-PART-INF", [("PART-TARGET", Decimal.text(partTarget, digits: 5))])
    }

    private var currentLines: String {
        current.map { head(of: $0, after: segments.last) + partLines(of: $0) } ?? ""
    }

    private func lines(_ index: Int) -> String {
        let segment = segments[index]
        let isRecent = index >= segments.count - Self.segmentsWithParts
        return head(of: segment, after: index > 0 ? segments[index - 1] : nil)
            + (isRecent && !hasEnded ? partLines(of: segment) : "") + HLSText.segmentDuration(segment.duration)
            + "\(HLSText.uri(segment.name))\n"
    }

    private func head(of segment: Segment, after former: Segment?) -> String {
        let isKnown = former?.initialization == segment.initialization
        return (segment.isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : "")
            + (isKnown
                ? "" : HLSText.tag("EXT-X-MAP", [("URI", HLSText.quoted(HLSText.uri(segment.initialization)))]))
            + "#EXT-X-PROGRAM-DATE-TIME:\(segment.date)\n"
    }

    private func partLines(of segment: Segment) -> String {
        segment.parts.map { part in
            let uri = HLSText.quoted(HLSText.uri(part.name))
            return HLSText.tag(
                "EXT-X-PART",
                [("DURATION", Decimal.text(part.duration, digits: 5)), ("URI", uri)]
                    + (part.isIndependent ? [("INDEPENDENT", "YES")] : []))
        }.joined()
    }
}

/// Starts segments at the first frame at or after each multiple of the segment duration. Pure.
package struct SegmentSchedule: Sendable, Hashable {
    private let length: Int64
    private var next: Int64 = 0

    /// - Parameter length: The segment duration in ticks.
    package init(length: Int64) { self.length = max(1, length) }

    /// Returns whether a segment starts with the frame at this time. Call once per frame, in order.
    package mutating func begins(at ticks: Int64) -> Bool {
        guard ticks >= next else { return false }
        next = (ticks / length + 1) * length
        return true
    }
}

/// The names of a live playlist's files, in its directory: `out-1795590212.m4s` for `out.m3u8`. Pure.
package struct SegmentNames: Sendable, Hashable {
    private let stem: String

    /// - Parameter playlist: The playlist's name without its directory.
    package init(playlist: String) {
        stem = playlist.lastIndex(of: ".").map { String(playlist[..<$0]) } ?? playlist
    }

    /// The multivariant playlist, which lists the media playlist with its codecs.
    package var multivariant: String { "\(stem)-master.m3u8" }

    package func segment(_ number: Int) -> String { "\(stem)-\(number).m4s" }

    /// - Parameter index: The index within the segment, from 0.
    package func part(_ index: Int, of number: Int) -> String { "\(stem)-\(number).\(index).m4s" }

    /// The initialization segment for the segment with this number and those that follow.
    package func initialization(_ number: Int) -> String { "\(stem)-\(number).mp4" }

    /// Returns whether a file belongs to a recording that started before this number.
    package func isEarlier(_ name: String, than number: Int) -> Bool {
        guard name.hasPrefix("\(stem)-"), name.hasSuffix(".m4s") || name.hasSuffix(".mp4") else { return false }
        let numbers = name.dropFirst(stem.count + 1).dropLast(4)
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard numbers.allSatisfy({ $0.allSatisfy(\.isASCII) && Int($0) != nil }) else { return false }
        // A recording's numbers start at the seconds since 1970.
        return numbers[0].count == 10 && Int(numbers[0]).map { $0 < number } ?? false
    }
}
