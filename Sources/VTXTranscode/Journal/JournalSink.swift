import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXTask

/// Writes the video to a journal, and outputs first what the journal already contains.
///
/// Frames from earlier runs come out as the demuxer reaches them (`advance`), so that they are interleaved with the
/// other streams as in the original run. Frames from this run's encoder follow, with decoding times by the same rule.
///
/// Unchecked: called by one thread, as the contract requires.
final class JournalSink: PacketSink, @unchecked Sendable {
    private let base: any PacketSink
    private let plan: TranscodePlan
    private let ledger: OutputLedger
    private let writer: JournalWriter
    private var replay: JournalReplay?
    private let assembly: VideoAssembly?
    private var times: DecodingTimes?
    /// The description of the current encoder's stream.
    private var description: OutputStreamDescription?
    /// The parameter sets of the current encoder; empty if its packets contain them.
    private var parameterSets: [UInt8] = []
    /// The parameter sets of the packets sent to the base.
    private var baseParameterSets: [UInt8] = []

    /// - Parameter assembly: nil if the journal is empty and the encoder's packets pass unchanged.
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
        if plan.video.encoding?.verification != .off { ledger.keepSignatures() }
    }

    var byteCount: Int64 { base.byteCount }
    var headerByteCount: Int64 { base.headerByteCount }

    /// Opens a stream. The video is opened again when this run's encoder has output its first packet, and when another
    /// encoder takes over: the description applies to the packets that follow.
    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        guard stream == plan.videoIndex else { return try base.open(stream, description) }
        let isFirst = self.description == nil
        self.description = description
        parameterSets = plan.video.usesGlobalHeader ? description.parameters.extradata : []
        try describe(isFirst ? assembly?.parameterSets ?? parameterSets : parameterSets)
    }

    /// Sends the description of the following packets to the base.
    private func describe(_ sets: [UInt8]) throws {
        guard var description else { return }
        baseParameterSets = sets
        if !sets.isEmpty {
            description.parameters = try CodecParameters(description.parameters, extradata: sets)
        }
        try base.open(plan.videoIndex, description)
    }

    /// Without a description of the video, the next call catches up.
    func advance(to time: MediaTime?) throws {
        guard description != nil else { return }
        while let frame = try next(upTo: time) {
            let packet = try frame.packet(timeBase: plan.video.timeBase)
            ledger.note(packet, stream: plan.videoIndex)
            ledger.noteEncoded(packet, isEarlier: true)
            try write(packet, with: replay?.parameterSets ?? [])
        }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        guard stream == plan.videoIndex else { return try base.write(packet, to: stream) }
        var record = JournalPacket(packet)
        record.signature = packet.pts.flatMap(ledger.takeSignature)?.bytes ?? []
        try journaling { () throws(JournalError) in try writer.append(record, parameterSets: parameterSets) }
        try write(packet, with: parameterSets)
    }

    /// Writes a packet. Frames that the frame rate filter adds and those of a source without timestamps belong to the
    /// earlier encoder although they arrive after this encoder's description: the packet decides, not the latest
    /// description.
    private func write(_ packet: Packet, with sets: [UInt8]) throws {
        if sets != baseParameterSets { try describe(sets) }
        try base.write(try placed(packet), to: plan.videoIndex)
    }

    func finish() throws {
        try journaling(writer.closeGOP)
        try base.finish()
    }

    /// Keeps the complete part for the next run after a failure.
    ///
    /// - Parameter beginsJournal: Whether to keep a journal that was started less than a second ago.
    /// - Returns: the number of frames kept.
    func keep(beginsJournal: Bool) -> Int {
        guard beginsJournal || writer.isSynchronized else { return 0 }
        try? writer.synchronize()
        return writer.committed.reduce(0) { $0 + Int($1.frameCount) }
    }

    private func next(upTo time: MediaTime?) throws(TranscodeError) -> JournalPacket? {
        try journaling { () throws(JournalError) in
            try replay?.next(upTo: time) { gop in
                if let encoding = plan.video.encoding, let group = gop.samples(for: encoding) {
                    ledger.noteEarlier(group)
                }
                for frame in gop.frames.sorted(by: { ($0.pts ?? 0) < ($1.pts ?? 0) }) { note(frame) }
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
    /// The parameter sets of the container's header; empty if the packets contain them.
    var parameterSets: [UInt8]
    var times: DecodingTimes
}
