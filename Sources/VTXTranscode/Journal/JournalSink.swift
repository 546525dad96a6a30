import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXTask

/// Notes the video that comes by in a journal, and puts before it what the journal has already.
///
/// What earlier runs have encoded goes out as the demuxer gets there (`advance`), so that it lies beside the packets of
/// the other streams, as it did then. What comes from this run's encoder follows, with decoding times by one rule.
///
/// Unchecked: one thread calls it, as the contract says.
final class JournalSink: PacketSink, @unchecked Sendable {
    private let base: any PacketSink
    private let plan: TranscodePlan
    private let ledger: OutputLedger
    private let writer: JournalWriter
    private var replay: JournalReplay?
    private let assembly: VideoAssembly?
    private var times: DecodingTimes?
    /// Of the encoder that is at work.
    private var description: OutputStreamDescription?
    /// Of that encoder; none where they are in its packets.
    private var parameterSets: [UInt8] = []
    /// Of the packets that the base gets.
    private var baseParameterSets: [UInt8] = []

    /// - Parameter assembly: nil where nothing is there yet, and the encoder's packets go on as they are.
    init(
        over base: any PacketSink, _ plan: TranscodePlan, _ ledger: OutputLedger, writer: JournalWriter,
        replay: JournalReplay?, _ assembly: VideoAssembly?
    ) {
        self.base = base
        self.plan = plan
        self.ledger = ledger
        self.writer = writer
        self.replay = replay
        self.assembly = assembly
        times = assembly?.times
    }

    var byteCount: Int64 { base.byteCount }
    var headerByteCount: Int64 { base.headerByteCount }

    /// The video is opened again where this run's encoder has made its first packet, and where another one goes on: it
    /// describes those that follow.
    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        guard stream == plan.videoIndex else { return try base.open(stream, description) }
        let isFirst = self.description == nil
        self.description = description
        parameterSets = plan.video.usesGlobalHeader ? description.parameters.extradata : []
        try describe(isFirst ? assembly?.parameterSets ?? parameterSets : parameterSets)
    }

    /// Tells the base what follows.
    private func describe(_ sets: [UInt8]) throws {
        guard var description else { return }
        baseParameterSets = sets
        if !sets.isEmpty {
            description.parameters = try CodecParameters(description.parameters, extradata: sets)
        }
        try base.open(plan.videoIndex, description)
    }

    func advance(to time: MediaTime?) throws {
        while let frame = try next(upTo: time) {
            let packet = try frame.packet(timeBase: plan.video.timeBase)
            ledger.note(packet, stream: plan.videoIndex)
            ledger.noteEncoded(packet, isEarlier: true)
            try write(packet, with: replay?.parameterSets ?? [])
        }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        guard stream == plan.videoIndex else { return try base.write(packet, to: stream) }
        try journaling { () throws(JournalError) in
            try writer.append(JournalPacket(packet), parameterSets: parameterSets)
        }
        try write(packet, with: parameterSets)
    }

    /// Frames that the rate adds, and those of a source without times, are the earlier encoder's and come after this one
    /// has described its own: what is written next decides, not what was opened last.
    private func write(_ packet: Packet, with sets: [UInt8]) throws {
        if sets != baseParameterSets { try describe(sets) }
        try base.write(try placed(packet), to: plan.videoIndex)
    }

    func finish() throws {
        try journaling(writer.closeGOP)
        try base.finish()
    }

    /// The run has failed: what is whole is there for the next one.
    ///
    /// - Parameter beginsJournal: false where a journal that was begun less than a second ago is not worth it.
    /// - Returns: the frames that are.
    func keep(beginsJournal: Bool) -> Int {
        guard beginsJournal || writer.isSynchronized else { return 0 }
        try? writer.synchronize()
        return writer.committed.reduce(0) { $0 + Int($1.frameCount) }
    }

    private func next(upTo time: MediaTime?) throws(TranscodeError) -> JournalPacket? {
        try journaling { () throws(JournalError) in
            try replay?.next(upTo: time) { gop in
                for frame in gop.sorted(by: { ($0.pts ?? 0) < ($1.pts ?? 0) }) { note(frame) }
            }
        }
    }

    private func note(_ frame: JournalPacket) {
        guard let pts = frame.pts else { return }
        ledger.noteEarlierFrame(pts, seconds: MediaTime(frame.duration, plan.video.timeBase).seconds)
    }

    private func placed(_ packet: Packet) throws -> Packet {
        if let pts = packet.pts, let dts = try times?.time(pts) { packet.dts = dts }
        return packet
    }

    private func journaling<Result>(_ body: () throws(JournalError) -> Result) throws(TranscodeError) -> Result {
        do { return try body() } catch { throw TranscodeError(error) }
    }
}

/// How the video of several runs becomes one stream.
struct VideoAssembly: Sendable {
    /// Those of the container's header; none where the packets have them.
    var parameterSets: [UInt8]
    var times: DecodingTimes
}
