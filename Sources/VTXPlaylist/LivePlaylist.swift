/// A media playlist that players read again and again while it grows (RFC 8216, 6.2.2). Pure.
///
/// With parts, it lists the segment that is being written too, as far as it has come (LL-HLS). It does not name the part
/// that comes next (`EXT-X-PRELOAD-HINT`): a web server would answer that it is not there, where players expect to wait.
package struct LivePlaylist: Sendable, Hashable {
    /// A few frames of a segment, in a file of their own (`EXT-X-PART`).
    package struct Part: Sendable, Hashable {
        package var name: String
        /// Seconds.
        package var duration: Double
        /// It has a key frame.
        package var isIndependent: Bool

        package init(name: String, duration: Double, isIndependent: Bool) {
            self.name = name
            self.duration = duration
            self.isIndependent = isIndependent
        }
    }

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

    /// How many of the last segments are listed; nil for all (`EXT-X-PLAYLIST-TYPE:EVENT`).
    package let window: Int?
    /// There will be no more segments.
    package var hasEnded = false

    package private(set) var segments: [Segment] = []
    /// The one that is being written, of which there are parts alone.
    private var current: Segment?
    /// Those that are listed no more, and that players may still be reading.
    private var former: [Segment] = []
    /// The parts of the last segments, whose files are there.
    private var parts: [[Part]] = []
    /// Of the last three whole segments parts are listed: players that follow closely are not farther back.
    private static let segmentsWithParts = 3
    /// The longest part's seconds; nil without parts.
    private var partTarget: Double?
    private var sequence: Int
    private var discontinuitySequence = 0
    private var targetDuration: Int

    /// - Parameters:
    ///   - seconds: of a segment.
    ///   - partSeconds: of a part, at most; nil without parts.
    ///   - sequence: the first segment's number.
    package init(seconds: Double, partSeconds: Double? = nil, window: Int?, sequence: Int) {
        self.window = window
        self.sequence = sequence
        partTarget = partSeconds
        targetDuration = Int(seconds.rounded(.up))
    }

    /// - Parameter segment: the one that it is of, whose duration is not known yet.
    package mutating func add(_ part: Part, of segment: Segment) {
        var segment = current ?? segment
        segment.parts.append(part)
        current = segment
        partTarget = partTarget.map { max($0, part.duration) }
    }

    /// - Returns: the files that no player may be reading any more. A segment has to be there for its own duration and that
    ///   of the longest playlist that had it (RFC 8216, 6.2.2).
    package mutating func add(_ segment: Segment) -> [String] {
        var segment = segment
        segment.parts = current?.parts ?? []
        current = nil
        return addParts(of: segment) + addWhole(segment)
    }

    /// - Returns: the files of parts that are listed no more for as long as they were listed.
    private mutating func addParts(of segment: Segment) -> [String] {
        parts.append(segment.parts)
        return parts.count > 2 * Self.segmentsWithParts + 1 ? parts.removeFirst().map(\.name) : []
    }

    private mutating func addWhole(_ segment: Segment) -> [String] {
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
        HLSText.head + HLSText.targetDuration(targetDuration) + partHead + "#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
            + (discontinuitySequence > 0 ? "#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)\n" : "")
            + (window == nil ? "#EXT-X-PLAYLIST-TYPE:EVENT\n" : "") + HLSText.independentSegments
            + segments.indices.map(lines).joined() + currentLines + (hasEnded ? HLSText.end : "")
    }

    /// Players that follow closely stay three parts before the end.
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

    /// - Parameter index: in the segment, from 0 on.
    package func part(_ index: Int, of number: Int) -> String { "\(stem)-\(number).\(index).m4s" }

    /// What a decoder has to know for the segment with this number and those after it.
    package func initialization(_ number: Int) -> String { "\(stem)-\(number).mp4" }

    /// Whether a file is of a recording that began before this number.
    package func isEarlier(_ name: String, than number: Int) -> Bool {
        guard name.hasPrefix("\(stem)-"), name.hasSuffix(".m4s") || name.hasSuffix(".mp4") else { return false }
        let numbers = name.dropFirst(stem.count + 1).dropLast(4)
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard numbers.allSatisfy({ $0.allSatisfy(\.isASCII) && Int($0) != nil }) else { return false }
        // Numbers begin with the seconds since 1970.
        return numbers[0].count == 10 && Int(numbers[0]).map { $0 < number } ?? false
    }
}
