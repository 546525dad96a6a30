import VTXJournal
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The shards of a journal, one for each rendition of the video, up to the last frame with which a GOP of all of them
/// ends. A file has one rendition.
struct RenditionShards: Sendable, Hashable {
    /// The largest rendition first; never empty.
    private(set) var all: [JournalShard]

    /// Creates empty ones.
    init(count: Int) { all = (0..<count).map { JournalShard(name: Self.name(of: $0)) } }

    init(_ shards: [JournalShard]) {
        all = shards
        all.cutToCommonEnd()
    }

    init(reading count: Int, of directory: JournalDirectory) throws(JournalError) {
        self.init(
            try (0..<count).map { rendition throws(JournalError) in
                try JournalShard(reading: Self.name(of: rendition), of: directory)
            })
    }

    /// Reads those of a journal whose task is unknown.
    init(readingAllOf directory: JournalDirectory) throws(JournalError) {
        let count = Directory.names(in: directory.path).count { $0.hasSuffix(".index") }
        try self.init(reading: max(count, 1), of: directory)
    }

    static func name(of rendition: Int) -> String { "video-\(rendition)" }

    /// The number of frames of each.
    var frameCount: Int { all[0].frameCount }
    var firstPTS: Int64? { all[0].firstPTS }
    var lastPTS: Int64? { all[0].lastPTS }

    /// Whether one has GOPs of encoders with different parameter sets.
    var parameterSetsDiffer: Bool { all.contains { Set($0.gops.map(\.parameterSets)).count > 1 } }

    /// Leaves out the first GOP with a frame that cannot be compared, and what follows.
    mutating func keepComparable(in directory: JournalDirectory) throws(JournalError) {
        for index in all.indices { try all[index].keepComparable(in: directory) }
        all.cutToCommonEnd()
    }

    /// Removes the GOP that contains a frame, and all that follow it.
    ///
    /// - Parameter frame: The frame's index in decoding order.
    /// - Returns: whether there is one.
    mutating func cut(before frame: Int) -> Bool {
        let before = frameCount
        for index in all.indices { _ = all[index].cut(before: frame) }
        all.cutToCommonEnd()
        return frameCount < before
    }

    /// Returns the way of each to the output.
    ///
    /// - Parameters:
    ///   - directory: The journal; nil while it is empty.
    ///   - ledgers: The record of each rendition.
    ///   - minDelay: The minimum number of frames by which decoding must precede display.
    ///   - writer: Returns what writes a shard.
    func videos(
        of directory: JournalDirectory?, over base: any PacketSink, _ plan: TranscodePlan, _ ledgers: [OutputLedger],
        minDelay: Int, _ writer: (JournalShard) -> JournalWriter
    ) throws(JournalError) -> [JournaledVideo] {
        var videos: [JournaledVideo] = []
        for (rendition, shard) in all.enumerated() {
            let encoding = plan.encodings[rendition]
            videos.append(
                JournaledVideo(
                    over: base, encoding, stream: plan.streamIndex(ofRendition: rendition), ledgers[rendition],
                    writer: writer(shard),
                    replay: directory.map { JournalReplay(shard, of: $0, timeBase: encoding.encoder.timeBase) },
                    try directory.flatMap { directory throws(JournalError) in
                        try shard.assembly(in: directory, encoding.encoder, minDelay: minDelay)
                    }))
        }
        return videos
    }

    func truncate(in directory: JournalDirectory) throws(JournalError) {
        for shard in all { try shard.truncate(in: directory) }
    }

    /// Returns what each has used of its rate, by the stream of its rendition.
    func rates(in directory: JournalDirectory, _ plan: TranscodePlan) -> [Int: RateAccount] {
        var rates: [Int: RateAccount] = [:]
        for (rendition, (shard, encoding)) in zip(all, plan.encodings).enumerated() {
            rates[plan.streamIndex(ofRendition: rendition)] = shard.rate(
                in: directory, encoding.encoder, seconds: plan.timestamps.expectedSeconds)
        }
        return rates
    }
}
