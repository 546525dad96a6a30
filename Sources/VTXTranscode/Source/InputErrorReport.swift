import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

/// Collects the errors found while reading the source. The stages count; the job decides.
package final class InputErrorReport: Sendable {
    private struct ConvertedSubtitles: Hashable {
        var stream: String
        var codec: String
    }

    private struct Counts {
        var unreadablePackets = 0
        var undecodablePackets = 0
        var leadingPictures = 0
        var concealedFrames = 0
        var invalidTimestamps = 0
        var droppedAudio = 0
        var endedEarly: String?
        var discontinuities = 0
        var lateStreams: [Int] = []
        /// Copied video streams without a key frame in the output's range.
        var emptyVideos: [Int] = []
        var changes: [String] = []
        /// The number of cues of each converted stream that are too long for the new format.
        var oversizedCues: [ConvertedSubtitles: Int] = [:]
        /// The number of cues of each converted stream whose position the new format does not store.
        var movedCues: [ConvertedSubtitles: Int] = [:]
        var missingGlyphs: Set<MissingGlyph> = []
        /// Of converted audio that has more channels later than at its beginning.
        var channels: [Notice] = []
        /// The notices of other processes about their segments.
        var ofSegments: [Notice] = []
        var hasIncompleteSegment = false

        /// The notices that require the whole file and could not be in the plan.
        var lateNotices: [Notice] {
            lateStreams.map {
                Notice(
                    .downgradeLateStream,
                    "stream \($0) begins in mid-file and is dropped: the output's header was already written")
            }
                + emptyVideos.map {
                    Notice(
                        .downgradeStream,
                        "stream \($0), a copied video, is empty: it has no key frame in the output's range")
                }
                + changes.map {
                    Notice(
                        .downgradeChange,
                        "the source changes its \($0) in mid-stream; the output keeps the first")
                }
                + oversizedCues.sorted { $0.key.stream < $1.key.stream }.map { cues, count in
                    Notice(
                        .downgradeLongCue,
                        "\(counted(count, "cue of \(cues.stream) is", "cues of \(cues.stream) are")) dropped: longer than \(cues.codec) can hold; Matroska would keep them all"
                    )
                }
                + movedCues.sorted { $0.key.stream < $1.key.stream }.map { cues, count in
                    Notice(
                        .downgradeSubtitleStyle,
                        "\(counted(count, "cue of \(cues.stream) loses its", "cues of \(cues.stream) lose their")) position in \(cues.codec), and players show the text at the bottom; Matroska would keep it"
                    )
                } + [MissingGlyph.notice(of: missingGlyphs)].compactMap(\.self)
                + channels
        }
    }

    private let counts = Locked(Counts())

    package init() {}

    func countUnreadable(_ count: Int = 1) { counts.withLock { $0.unreadablePackets += count } }
    func countUndecodable() { counts.withLock { $0.undecodablePackets += 1 } }
    func count(_ missing: MissingPictures) {
        counts.withLock { counts in
            counts.undecodablePackets += missing.damagedCount
            counts.leadingPictures += missing.leadingCount
        }
    }
    func countConcealed() { counts.withLock { $0.concealedFrames += 1 } }
    func countInvalidTimestamps(_ count: Int) { counts.withLock { $0.invalidTimestamps += count } }
    func countDroppedAudio() { counts.withLock { $0.droppedAudio += 1 } }
    func countDiscontinuities(_ count: Int) { counts.withLock { $0.discontinuities += count } }
    func noteLateStream(_ index: Int) { counts.withLock { $0.lateStreams.append(index) } }
    func noteEmptyVideo(_ index: Int) { counts.withLock { $0.emptyVideos.append(index) } }
    /// Notes a change of a property that the output can declare only once.
    func noteChange(of what: String) { counts.withLock { if !$0.changes.contains(what) { $0.changes.append(what) } } }
    func noteOversizedCue(in stream: String, _ codec: String) {
        counts.withLock { $0.oversizedCues[ConvertedSubtitles(stream: stream, codec: codec), default: 0] += 1 }
    }
    func countMovedCues(_ count: Int, in stream: String, _ codec: String) {
        guard count > 0 else { return }
        counts.withLock { $0.movedCues[ConvertedSubtitles(stream: stream, codec: codec)] = count }
    }
    func noteChannels(_ count: Int, in stream: String, _ kept: Int) {
        let notice = Notice(
            .downgradeChange,
            "\(stream) has \(count) channels in mid-stream; the output keeps the \(kept) of its beginning")
        counts.withLock { $0.channels.append(notice) }
    }
    func note(_ glyph: MissingGlyph) { counts.withLock { _ = $0.missingGlyphs.insert(glyph) } }
    func noteOfSegment(_ notices: [Notice], isIncomplete: Bool) {
        counts.withLock { counts in
            counts.ofSegments += notices.filter { !counts.ofSegments.contains($0) }
            counts.hasIncompleteSegment = counts.hasIncompleteSegment || isIncomplete
        }
    }
    func sourceEndedEarly(_ message: String) { counts.withLock { $0.endedEarly = $0.endedEarly ?? message } }

    /// Whether content is missing.
    package var isIncomplete: Bool {
        counts.withLock {
            $0.unreadablePackets + $0.undecodablePackets + $0.concealedFrames + $0.droppedAudio > 0
                || $0.endedEarly != nil || $0.hasIncompleteSegment
        }
    }

    /// Whether the video's decoder has reported corrupt data.
    var concernsPictures: Bool {
        counts.withLock {
            $0.undecodablePackets + $0.leadingPictures + $0.concealedFrames + $0.invalidTimestamps > 0
                || !$0.changes.isEmpty
        }
    }

    package var notices: [Notice] {
        counts.withLock { counts in
            let ended = counts.endedEarly.map { Notice(.sourceEndedEarly, Message($0)) }
            let counted = Self.phrases.map { $0.notice(of: $0.count(counts)) }
            return ([ended] + counted).compactMap(\.self) + counts.lateNotices + counts.ofSegments
        }
    }

    /// How a count is phrased.
    private struct Phrase: Sendable {
        let count: @Sendable (Counts) -> Int
        let kind: NoticeKind
        let one: String
        let many: String
        var rest = ""

        func notice(of count: Int) -> Notice? {
            count == 0 ? nil : Notice(kind, "\(counted(count, one, many))\(rest)")
        }
    }

    private static let phrases = [
        Phrase(
            count: { $0.unreadablePackets }, kind: .sourceUnreadable, one: "packet", many: "packets",
            rest: " of the source cannot be read"),
        Phrase(
            count: { $0.undecodablePackets }, kind: .sourceUndecodable,
            one: "video packet of the source cannot be decoded; its frame is missing",
            many: "video packets of the source cannot be decoded; their frames are missing"),
        Phrase(
            count: { $0.leadingPictures }, kind: .sourceLeading, one: "picture", many: "pictures",
            rest: " before the first key frame cannot be decoded and are dropped"),
        Phrase(
            count: { $0.concealedFrames }, kind: .sourceConcealed,
            one: "damaged frame of the source was concealed by the decoder",
            many: "damaged frames of the source were concealed by the decoder"),
        Phrase(
            count: { $0.droppedAudio }, kind: .sourceAudio, one: "audio packet", many: "audio packets",
            rest: " of the source cannot be decoded"),
        Phrase(
            count: { $0.invalidTimestamps }, kind: .sourceTimestamps, one: "invalid timestamp was",
            many: "invalid timestamps were", rest: " replaced"),
        Phrase(
            count: { $0.discontinuities }, kind: .sourceDiscontinuity, one: "timestamp discontinuity was",
            many: "timestamp discontinuities were", rest: " removed"),
    ]
}

/// Reads a file and skips unreadable packets. After too many in a row, the rest of the file is skipped.
struct PacketReader {
    /// The maximum number of consecutive errors.
    private static let limit = 32

    private let damage: InputErrorReport
    private var errors = 0

    init(_ damage: InputErrorReport) { self.damage = damage }

    /// - Parameter read: Returns the next packet of the file; nil at its end.
    /// - Returns: nil at the end, and if the rest is skipped.
    mutating func next(_ read: () throws(FFmpegError) -> Packet?) -> Packet? {
        while errors < Self.limit {
            do throws(FFmpegError) {
                let packet = try read()
                errors = 0
                return packet
            } catch {
                damage.countUnreadable()
                errors += 1
            }
        }
        return nil
    }
}

/// `1 packet is`, `2 packets are`.
func counted(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
}

/// `a, b, c`.
func list(_ words: [String]) -> String { words.joined(separator: ", ") }
