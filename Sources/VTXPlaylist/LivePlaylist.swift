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
        /// What players may read of it before it is whole (`EXT-X-PART`).
        package var parts: [Part] = []

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

    package struct Part: Sendable, Hashable {
        package var name: String
        /// Seconds.
        package var duration: Double
        /// There is a key frame in it.
        package var isIndependent: Bool

        package init(name: String, duration: Double, isIndependent: Bool) {
            self.name = name
            self.duration = duration
            self.isIndependent = isIndependent
        }
    }

    /// Segments whose parts are listed: three target durations before the end are enough (rfc8216bis, 4.4.4.9).
    private static let segmentsWithParts = 3

    /// How many of the last segments are listed; nil for all (`EXT-X-PLAYLIST-TYPE:EVENT`).
    package let window: Int?
    /// There will be no more segments.
    package var hasEnded = false

    package private(set) var segments: [Segment] = []
    /// The segment that is being written, with the parts that are there.
    private var open: Segment?
    /// Files of parts, by the whole segments that they belong to.
    private var partFiles: [[String]] = []
    /// The longest part's duration; nil for a playlist without parts.
    private var partTarget: Double?
    /// Those that are listed no more, and that players may still be reading.
    private var former: [Segment] = []
    private var sequence: Int
    private var discontinuitySequence = 0
    private var targetDuration: Int

    /// - Parameters:
    ///   - seconds: of a segment.
    ///   - partSeconds: of a part of a segment; nil for whole segments alone.
    ///   - sequence: the first segment's number.
    package init(seconds: Double, partSeconds: Double? = nil, window: Int?, sequence: Int) {
        partTarget = partSeconds
        self.window = window
        self.sequence = sequence
        targetDuration = Int(seconds.rounded(.up))
    }

    /// A segment begins, whose parts come one after the other.
    package mutating func begin(_ segment: Segment) { open = segment }

    package mutating func add(_ part: Part) {
        open?.parts.append(part)
        // It must not change either, but a camera that pauses makes a part longer.
        partTarget = partTarget.map { max($0, part.duration) }
    }

    /// - Returns: the files that no player may be reading any more. A segment has to be there for its own duration and that
    ///   of the longest playlist that had it (RFC 8216, 6.2.2).
    package mutating func add(_ segment: Segment) -> [String] {
        var segment = segment
        segment.parts = open?.parts ?? []
        open = nil
        segments.append(segment)
        let parts = formerParts(with: segment)
        // It must not change (RFC 8216, 6.2.1), but a camera that pauses makes a segment longer.
        targetDuration = max(targetDuration, Int(segment.duration.rounded()))
        guard let window, segments.count > window else { return parts }
        let first = segments.removeFirst()
        former.append(first)
        sequence += 1
        if first.isDiscontinuous { discontinuitySequence += 1 }
        return parts + (former.count > window + 1 ? [former.removeFirst()].flatMap(files) : [])
    }

    /// Parts are listed for a while, and then stay for as long, and one segment more.
    private mutating func formerParts(with segment: Segment) -> [String] {
        partFiles.append(segment.parts.map(\.name))
        return partFiles.count > 2 * Self.segmentsWithParts + 1 ? partFiles.removeFirst() : []
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
            + segments.indices.map(lines).joined() + (open.map(openLines) ?? "") + (hasEnded ? HLSText.end : "")
    }

    /// Players stay three parts before the end, and three segments where they know no parts. Nothing is said of playlists
    /// that are answered when they have changed: web servers do not know when that is.
    private var partHead: String {
        guard let partTarget else { return "" }
        let seconds = { (value: Double) in Decimal.text(value, digits: 5) }
        return HLSText.tag(
            "EXT-X-SERVER-CONTROL",
            [("HOLD-BACK", seconds(Double(3 * targetDuration))), ("PART-HOLD-BACK", seconds(3 * partTarget))])
            + HLSText.tag("EXT-X-PART-INF", [("PART-TARGET", seconds(partTarget))])
    }

    private func lines(_ index: Int) -> String {
        let segment = segments[index]
        let hasParts = index >= segments.count - Self.segmentsWithParts
        return beginning(of: segment, after: index > 0 ? segments[index - 1] : nil)
            + (hasParts ? segment.parts.map(line).joined() : "")
            + HLSText.segmentDuration(segment.duration) + "\(HLSText.uri(segment.name))\n"
    }

    private func openLines(_ segment: Segment) -> String {
        guard !segment.parts.isEmpty else { return "" }
        return beginning(of: segment, after: segments.last) + segment.parts.map(line).joined()
    }

    private func line(_ part: Part) -> String {
        HLSText.tag(
            "EXT-X-PART",
            [
                ("DURATION", Decimal.text(part.duration, digits: 5)),
                ("URI", HLSText.quoted(HLSText.uri(part.name))),
            ] + (part.isIndependent ? [("INDEPENDENT", "YES")] : []))
    }

    private func beginning(of segment: Segment, after before: Segment?) -> String {
        let isKnown = before?.initialization == segment.initialization
        return (segment.isDiscontinuous ? "#EXT-X-DISCONTINUITY\n" : "")
            + (isKnown
                ? "" : HLSText.tag("EXT-X-MAP", [("URI", HLSText.quoted(HLSText.uri(segment.initialization)))]))
            + "#EXT-X-PROGRAM-DATE-TIME:\(segment.date)\n"
    }
}

/// When parts of segments end: before a frame that would make them longer than their length. Pure.
package struct PartSchedule: Sendable, Hashable {
    private let length: Int64
    private var start: Int64 = 0

    /// - Parameter length: in ticks.
    package init(length: Int64) { self.length = max(1, length) }

    package mutating func begin(at ticks: Int64) { start = ticks }

    /// Whether a part ends before a frame with these times. A part has one frame at least.
    package func ends(before ticks: Int64, until end: Int64) -> Bool { ticks > start && end - start > length }

    /// How long a part is that ends there.
    package func duration(until ticks: Int64) -> Int64 { ticks - start }
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

    /// The part of a segment with this number, from 0.
    package func part(_ part: Int, of number: Int) -> String { "\(stem)-\(number).\(part).m4s" }

    /// What a decoder has to know for the segment with this number and those after it.
    package func initialization(_ number: Int) -> String { "\(stem)-\(number).mp4" }

    /// Whether a file is of a recording that began before this number.
    package func isEarlier(_ name: String, than number: Int) -> Bool {
        guard name.hasPrefix("\(stem)-"), name.hasSuffix(".m4s") || name.hasSuffix(".mp4") else { return false }
        let numbers = name.dropFirst(stem.count + 1).dropLast(4).split(
            separator: ".", omittingEmptySubsequences: false)
        guard numbers.count < 3, numbers.dropFirst().allSatisfy({ Int($0) != nil }) else { return false }
        // Numbers begin with the seconds since 1970.
        let digits = numbers[0]
        return digits.count == 10 && digits.allSatisfy(\.isASCII) && Int(digits).map { $0 < number } ?? false
    }
}
