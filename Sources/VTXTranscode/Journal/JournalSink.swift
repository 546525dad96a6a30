import VTXFFmpeg
import VTXJournal
import VTXMedia
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
    /// Of the encoder that is at work; none where they are in its packets.
    private var parameterSets: [UInt8] = []
    private var isOpen = false

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
        let sets = plan.video.usesGlobalHeader ? description.parameters.extradata : []
        guard isOpen else {
            (isOpen, parameterSets) = (true, sets)
            return try base.open(stream, try assembly?.described(description, plan) ?? description)
        }
        let header = assembly?.parameterSets ?? parameterSets
        if sets != header, !(assembly?.repeatsParameterSets ?? false) { throw SeamChange.parameterSets }
        parameterSets = sets
    }

    func advance(to time: MediaTime?) throws {
        while let frame = try next(upTo: time) {
            let packet = try frame.packet(timeBase: plan.video.timeBase)
            ledger.note(packet, stream: plan.videoIndex)
            ledger.noteEncoded(packet, isEarlier: true)
            try base.write(try assembled(packet, replay?.parameterSets ?? []), to: plan.videoIndex)
        }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        guard stream == plan.videoIndex else { return try base.write(packet, to: stream) }
        try journaling { () throws(JournalError) in
            try writer.append(JournalPacket(packet), parameterSets: parameterSets)
        }
        try base.write(try assembled(packet, parameterSets), to: stream)
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

    private func assembled(_ packet: Packet, _ sets: [UInt8]) throws -> Packet {
        if let pts = packet.pts, let dts = try times?.next(pts) { packet.dts = dts }
        guard let assembly, assembly.repeatsParameterSets, packet.isKeyFrame else { return packet }
        return try packet.replacing(bytes: sets + Array(packet.bytes))
    }

    private func journaling<Result>(_ body: () throws(JournalError) -> Result) throws(TranscodeError) -> Result {
        do { return try body() } catch { throw TranscodeError(error) }
    }
}

/// How the video of several runs becomes one stream.
struct VideoAssembly: Sendable {
    /// Those of the container's header; none where the packets have them.
    var parameterSets: [UInt8]
    /// Parameter sets differ from run to run, and each key frame brings its own.
    var repeatsParameterSets: Bool
    var times: DecodingTimes

    /// Parameter sets in samples have sample entries of their own (ISO 14496-15 5.4.2, 8.4.1).
    func described(
        _ description: OutputStreamDescription, _ plan: TranscodePlan
    ) throws(FFmpegError) -> OutputStreamDescription {
        var described = description
        if !parameterSets.isEmpty {
            described.parameters = try CodecParameters(description.parameters, extradata: parameterSets)
        }
        guard repeatsParameterSets, plan.container == .mp4 || plan.container == .mov else { return described }
        described.codecTag = OutputStreamDescription.tag(plan.video.encoding?.codec == .hevc ? "hev1" : "avc3")
        return described
    }
}
