import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXTask

/// The video of one rendition in a journal and on its way to the output: what earlier runs have encoded, and after it
/// the packets of this run's encoder, with decoding times by the same rule.
final class JournaledVideo {
    /// The stream's index in the pipeline.
    let stream: Int
    let writer: JournalWriter
    private let base: any PacketSink
    private let encoding: VideoEncoding
    /// The record of the rendition.
    private let ledger: OutputLedger
    private var replay: JournalReplay?
    private let assembly: VideoAssembly?
    private var times: DecodingTimes?
    /// The description of the current encoder's stream.
    private var description: OutputStreamDescription?
    /// The parameter sets of the current encoder; empty if its packets contain them.
    private var parameterSets: [UInt8] = []
    /// The parameter sets of the packets sent to the base.
    private var baseParameterSets: [UInt8] = []

    private var timeBase: Rational { encoding.encoder.timeBase }

    /// - Parameter assembly: nil if the shard is empty and the encoder's packets pass unchanged.
    init(
        over base: any PacketSink, _ encoding: VideoEncoding, stream: Int, _ ledger: OutputLedger,
        writer: JournalWriter, replay: JournalReplay? = nil, _ assembly: VideoAssembly? = nil
    ) {
        (self.base, self.encoding, self.stream, self.ledger) = (base, encoding, stream, ledger)
        (self.writer, self.replay, self.assembly) = (writer, replay, assembly)
        times = assembly?.times
        if encoding.verification != .off { ledger.keepSignatures() }
    }

    /// Opens the stream: first when this run begins, again when its encoder has output its first packet, and when
    /// another encoder takes over. The description applies to the packets that follow.
    func open(_ description: OutputStreamDescription) throws {
        let isFirst = self.description == nil
        self.description = description
        parameterSets = encoding.encoder.usesGlobalHeader ? description.parameters.extradata : []
        try describe(isFirst ? assembly?.parameterSets ?? parameterSets : parameterSets)
    }

    /// Sends the description of the following packets to the base.
    private func describe(_ sets: [UInt8]) throws {
        guard var description else { return }
        baseParameterSets = sets
        if !sets.isEmpty {
            description.parameters = try CodecParameters(description.parameters, extradata: sets)
        }
        try base.open(stream, description)
    }

    /// Outputs frames of earlier runs. Without a description of the video, the next call catches up.
    ///
    /// - Parameter note: Called with each packet.
    func advance(to time: MediaTime?, note: (Packet) -> Void) throws {
        guard description != nil else { return }
        while let frame = try next(upTo: time) {
            let packet = try frame.packet(timeBase: timeBase)
            note(packet)
            ledger.noteEncoded(packet, isEarlier: true)
            try write(packet, with: replay?.parameterSets ?? [])
        }
    }

    /// Takes a packet of this run's encoder.
    func write(_ packet: Packet) throws {
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
        if let pts = packet.pts, let dts = try times?.time(pts) { packet.dts = dts }
        try base.write(packet, to: stream)
    }

    func finish() throws { try journaling(writer.closeGOP) }

    private func next(upTo time: MediaTime?) throws(TranscodeError) -> JournalPacket? {
        try journaling { () throws(JournalError) in
            try replay?.next(upTo: time) { gop in
                if let group = gop.samples(for: encoding) { ledger.noteEarlier(group) }
                for frame in gop.frames.sorted(by: { ($0.pts ?? 0) < ($1.pts ?? 0) }) { note(frame) }
            }
        }
    }

    private func note(_ frame: JournalPacket) {
        guard let pts = frame.pts else { return }
        ledger.noteEarlierFrame(pts, seconds: MediaTime(frame.duration, timeBase).seconds)
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
