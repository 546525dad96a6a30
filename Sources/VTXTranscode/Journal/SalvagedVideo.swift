import VTXBitstream
import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXTask

/// The encoded video of a failed attempt, read back from the unfinished file as a journal from which the next attempt
/// resumes.
///
/// The container has its own time base, so the timestamps are those passed to the muxer.
struct SalvagedVideo {
    private let path: String
    /// nil if the container stores packets unchanged.
    private let codec: NALCodec?
    private let stream: Int
    private let written: WrittenVideo

    /// - Parameter written: The packets that the muxer accepted; its file is closed.
    init(_ written: WrittenVideo, in path: String, _ plan: TranscodePlan) {
        (self.path, self.written) = (path, written)
        (codec, stream) = (plan.video.encoding?.codec.nal, plan.videoIndex)
    }

    var parameterSets: [UInt8] { written.parameterSets }

    struct Incomplete: Error {}

    /// Calls `body` with each packet, in decoding order, as its encoder output it.
    ///
    /// - Throws: `Incomplete` if the file contains packets other than those written.
    func forEach(_ body: (JournalPacket) throws -> Void) throws {
        let demuxer = try Demuxer(path: path)
        guard let input = demuxer.streams.first(where: { $0.index == stream }) else { throw Incomplete() }
        let byteStream = try byteStream(input)
        var index = 0
        while let packet = try demuxer.read() {
            guard packet.streamIndex == stream else { continue }
            guard index < written.packets.count, packet.isKeyFrame == written.packets[index].isKeyFrame else {
                throw Incomplete()
            }
            var record = written.packets[index]
            record.payload = try byteStream(packet)
            try body(record)
            index += 1
        }
        guard index == written.packets.count else { throw Incomplete() }
    }

    /// Returns a conversion of a packet's data to the form that its encoder output.
    private func byteStream(_ input: InputStream) throws -> (Packet) throws -> [UInt8] {
        guard let codec else { return { Array($0.bytes) } }
        let framing = try NALFraming(
            extradata: input.parameters.extradata, codec: codec, isSelfContained: written.parameterSets.isEmpty)
        return { packet in
            let bytes = packet.bytes.bytes
            let units = try framing.units(in: bytes, codec: codec).flatMap { AnnexB.units(within: $0, of: bytes) }
            return units.flatMap { [0, 0, 0, 1] + bytes.copy($0.range) }
        }
    }
}

extension TranscodeJournal {
    /// Creates a journal of what an attempt without one has encoded, so that the next attempt can resume.
    ///
    /// - Parameter isWhole: Whether the last GOP is complete.
    /// - Returns: nil if there is nothing to resume from.
    static func salvaging(
        _ video: SalvagedVideo, _ plan: TranscodePlan, isWhole: Bool, _ damage: InputErrorReport
    ) -> TranscodeJournal? {
        let journal = TranscodeJournal(JournalRequest(), isTemporary: true)
        // The user may resume from it later.
        guard !journal.request.exists(for: plan.output) else { return nil }
        do {
            return try journal.fill(video, plan, isWhole, damage) ? journal : nil
        } catch {
            journal.remove()
            return nil
        }
    }

    private func fill(
        _ video: SalvagedVideo, _ plan: TranscodePlan, _ isWhole: Bool, _ damage: InputErrorReport
    ) throws -> Bool {
        _ = try open(plan, isRetry: true)
        let writer = JournalWriter(
            after: JournalShard(name: RenditionShards.name(of: 0)), marks: { damage.concernsPictures }, in: directory)
        try video.forEach { try writer.append($0, parameterSets: video.parameterSets) }
        if isWhole { try writer.closeGOP() }
        return !writer.committed.isEmpty
    }
}
