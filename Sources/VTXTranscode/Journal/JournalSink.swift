import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXTask

/// Writes the video to a journal, and outputs first what the journal already contains.
///
/// Frames from earlier runs come out as the demuxer reaches them (`advance`), so that they are interleaved with the
/// other streams as in the original run. Frames from this run's encoders follow. A ladder has several videos.
///
/// Unchecked: called by one thread, as the contract requires.
final class JournalSink: PacketSink, @unchecked Sendable {
    private let base: any PacketSink
    private let ledger: OutputLedger
    private let videos: [JournaledVideo]

    /// - Parameters:
    ///   - ledger: The record of all streams.
    ///   - videos: One for each rendition, with the same base.
    init(over base: any PacketSink, _ ledger: OutputLedger, _ videos: [JournaledVideo]) {
        (self.base, self.ledger, self.videos) = (base, ledger, videos)
    }

    var byteCount: Int64 { base.byteCount }
    var headerByteCount: Int64 { base.headerByteCount }

    private func video(_ stream: Int) -> JournaledVideo? { videos.first { $0.stream == stream } }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        guard let video = video(stream) else { return try base.open(stream, description) }
        try video.open(description)
    }

    func advance(to time: MediaTime?) throws {
        for video in videos {
            try video.advance(to: time) { ledger.note($0, stream: video.stream) }
        }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        guard let video = video(stream) else { return try base.write(packet, to: stream) }
        try video.write(packet)
    }

    func finish() throws {
        for video in videos { try video.finish() }
        try base.finish()
    }

    /// Keeps the complete part for the next run after a failure.
    ///
    /// - Parameter beginsJournal: Whether to keep a journal that was started less than a second ago.
    /// - Returns: the number of frames kept.
    func keep(beginsJournal: Bool) -> Int {
        guard beginsJournal || videos.allSatisfy(\.writer.isSynchronized) else { return 0 }
        for video in videos { try? video.writer.synchronize() }
        return RenditionShards(videos.map(\.writer.shard)).frameCount
    }
}
