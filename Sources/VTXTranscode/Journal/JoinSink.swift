import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// Interleaves the video that other processes encode, segment by segment, with the packets of the other streams. Waits
/// for the segments in order.
///
/// Unchecked: called by one thread, as the contract requires; any thread may stop it.
final class JoinSink: PacketSink, @unchecked Sendable {
    private let base: any PacketSink
    private let plan: TranscodePlan
    private let ledger: OutputLedger
    private let damage: InputErrorReport
    private let directory: String
    private let header: SegmentFile.Header
    private let stopped = BoundedQueue<Void>(capacity: 1)
    private var description: OutputStreamDescription?
    /// The parameter sets of the packets sent to the base.
    private var parameterSets: [UInt8]?
    private var times: SegmentTimes
    /// The number of the current segment, from 0.
    private var number = 0
    private var reader: SegmentReader?
    private var waiting: JournalPacket?

    /// The interval between checks for a segment, in seconds.
    private static let interval = 0.1

    init(
        over base: any PacketSink, _ plan: TranscodePlan, _ ledger: OutputLedger, _ damage: InputErrorReport,
        from directory: String, _ header: SegmentFile.Header
    ) {
        (self.base, self.plan, self.ledger, self.damage) = (base, plan, ledger, damage)
        (self.directory, self.header) = (directory, header)
        times = SegmentTimes(
            frameDuration: MediaTime.rescale(1, from: plan.video.frameRate.reciprocal, to: plan.video.timeBase))
    }

    var byteCount: Int64 { base.byteCount }
    var headerByteCount: Int64 { base.headerByteCount }

    /// Stops waiting for segments.
    func stop() { stopped.cancel() }

    /// Opens a stream. The video is opened with its first frame, which has the parameter sets.
    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        guard stream == plan.videoIndex else { return try base.open(stream, description) }
        self.description = description
    }

    func write(_ packet: Packet, to stream: Int) throws { try base.write(packet, to: stream) }

    func advance(to time: MediaTime?) throws {
        while let frame = try next(upTo: time) {
            let packet = try frame.packet(timeBase: plan.video.timeBase)
            try describe()
            try times.place(packet)
            ledger.note(packet, stream: plan.videoIndex)
            ledger.noteEncoded(packet)
            ledger.noteCopied(packet, of: number)
            ledger.hasEncoded = true
            try base.write(packet, to: plan.videoIndex)
        }
    }

    func finish() throws { try base.finish() }

    private func describe() throws {
        guard let sets = reader?.parameterSets, sets != parameterSets, var description else { return }
        parameterSets = sets
        if !sets.isEmpty { description.parameters = try CodecParameters(description.parameters, extradata: sets) }
        try base.open(plan.videoIndex, description)
    }

    /// Returns the next frame if its decoding time is not later than `time`; without a time, any next frame.
    private func next(upTo time: MediaTime?) throws -> JournalPacket? {
        guard let frame = try waiting ?? read() else { return nil }
        waiting = frame
        let start = MediaTime(frame.dts ?? frame.pts ?? 0, plan.video.timeBase)
        if let time, start.seconds > time.seconds { return nil }
        waiting = nil
        return frame
    }

    private func read() throws -> JournalPacket? {
        while number < plan.video.encoding?.segments ?? 1 {
            let reader = try self.reader ?? SegmentReader(try path(), expecting: header)
            self.reader = reader
            if let frame = try reader.next() { return frame }
            if let ending = reader.ending {
                ledger.note(ending.samples, of: number)
                damage.noteOfSegment(ending.notices, isIncomplete: ending.isIncomplete)
            }
            (self.reader, number) = (nil, number + 1)
        }
        return nil
    }

    /// Waits for the file.
    private func path() throws -> String {
        let name = SegmentedWork.fileName(number + 1, of: FileName.directory(of: plan.output).name)
        let path = "\(directory)/\(name)"
        while FileStatus(path) == nil { _ = try stopped.pop(timeoutSeconds: Self.interval) }
        return path
    }
}
