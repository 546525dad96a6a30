import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// Writes packets to one file as they arrive.
///
/// The header needs the description of every stream, and the parameter sets of a stream may be known only with its
/// first packet: packets wait until all streams are open. If encoders with different parameter sets follow each other,
/// each key frame gets its own.
///
/// Unchecked: called by one thread, as the contract requires.
final class MuxerSink: PacketSink, @unchecked Sendable {
    private let plan: TranscodePlan
    private let muxer: Muxer
    /// nil for an output that cannot be changed after writing.
    private let path: String?
    private let options: [(String, String)]
    private var descriptions: [OutputStreamDescription?]
    private let repeatsParameterSets: Bool
    /// Whether the codec is AV1, whose key frames have their own sequence header, so that another header is not a
    /// change.
    private let hasOwnHeaders: Bool
    /// The parameter sets of the current video, if they differ from the header's.
    private var parameterSets: [UInt8] = []
    private let damage: InputErrorReport
    private var waiting: [(stream: Int, packet: Packet)] = []
    private var waitingBytes = 0
    /// The maximum number of bytes that wait. An encoder holds back seconds; a longer wait means that its frame never
    /// comes.
    private let byteLimit: Int
    private var isStarted = false
    private(set) var headerByteCount: Int64 = 0
    /// Kept if a GPU may fail in mid-file.
    private var written = WrittenVideo()

    /// - Parameter repeatsParameterSets: Whether other encoders than this plan's have encoded, or may encode, a part of
    ///   the video.
    convenience init(
        _ plan: TranscodePlan, path: String, damage: InputErrorReport, options: [(String, String)]? = nil,
        byteLimit: Int = 512 << 20, repeatsParameterSets: Bool = false
    ) throws(TranscodeError) {
        let muxer: Muxer
        do { muxer = try Muxer(path: path, format: plan.container.muxerName) } catch {
            throw TranscodeError(error, writing: plan.output)
        }
        self.init(
            plan, muxer, path: path, damage: damage, options: options, byteLimit: byteLimit,
            repeatsParameterSets: repeatsParameterSets)
    }

    /// Creates a sink for a pipe, where nothing can be changed after writing. Another encoder may follow a GPU's, so
    /// the parameter sets are repeated with the frames.
    convenience init(
        _ plan: TranscodePlan, into pipe: PipedOutput, damage: InputErrorReport
    ) throws(TranscodeError) {
        let muxer: Muxer
        do { muxer = try Muxer(writing: pipe, format: plan.container.muxerName) } catch {
            throw TranscodeError(error, writing: plan.output)
        }
        self.init(plan, muxer, path: nil, damage: damage, repeatsParameterSets: plan.video.usesHardware)
    }

    private init(
        _ plan: TranscodePlan, _ muxer: Muxer, path: String?, damage: InputErrorReport,
        options: [(String, String)]? = nil, byteLimit: Int = 512 << 20, repeatsParameterSets: Bool
    ) {
        self.muxer = muxer
        hasOwnHeaders = plan.video.encoding?.codec == .av1
        self.repeatsParameterSets =
            (repeatsParameterSets || plan.video.repeatsParameterSets) && !hasOwnHeaders
        self.plan = plan
        self.options = options ?? MuxerOptions.all(for: plan)
        self.path = path
        self.byteLimit = byteLimit
        self.damage = damage
        descriptions = Array(repeating: nil, count: plan.streams.count { !$0.isDropped })
    }

    var byteCount: Int64 { muxer.byteCount }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws {
        let repeats = repeatsParameterSets && stream == plan.videoIndex && plan.video.usesGlobalHeader
        if repeats { parameterSets = description.parameters.extradata }
        if let known = descriptions[stream] {
            // Without a global header, packets have them.
            guard
                repeats || !plan.video.usesGlobalHeader || hasOwnHeaders && stream == plan.videoIndex
                    || known.parameters.extradata == description.parameters.extradata
            else { throw SeamChange.parameterSets }
            return
        }
        descriptions[stream] = repeats ? description.withParameterSetsInSamples(plan) : description
        guard !descriptions.contains(where: { $0 == nil }) else { return }
        try translating { () throws(FFmpegError) in try start() }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        var packet = packet
        if stream == plan.videoIndex, packet.isKeyFrame, !parameterSets.isEmpty {
            packet = try packet.replacing(bytes: parameterSets + Array(packet.bytes))
        }
        guard isStarted else { return try hold(packet, for: stream) }
        try translating { () throws(FFmpegError) in try mux(packet, to: stream) }
    }

    private func hold(_ packet: Packet, for stream: Int) throws(TranscodeError) {
        waitingBytes += packet.byteCount
        guard waitingBytes <= byteLimit else {
            throw TranscodeError(
                .inputNoPicture,
                "there is no video for \(byteLimit >> 20) MiB of other streams in \(plan.inputName)",
                hint: "\(option: .start) begins later or earlier; "
                    + "\(option: .audioStreams), \(option: .subtitleStreams) and similar options leave streams out")
        }
        waiting.append((stream, packet))
    }

    /// Muxes a packet. One that the muxer rejects is the source's fault: it is dropped, and the file continues.
    private func mux(_ packet: Packet, to stream: Int) throws(FFmpegError) {
        if stream == plan.videoIndex, plan.video.usesHardware { written.packets.append(JournalPacket(timesOf: packet)) }
        do { try muxer.write(packet, to: stream) } catch {
            guard error.isAboutData else { throw error }
            damage.countUnreadable()
        }
    }

    /// Ends the fragment, in a file whose options leave that to the writer.
    func endFragment() throws(TranscodeError) {
        if isStarted { try translating { () throws(FFmpegError) in try muxer.endFragment() } }
    }

    /// Closes the file after a failure, so that its video can be read.
    ///
    /// - Returns: nil if there is none, or if packets differ from what their encoders output.
    func close() -> WrittenVideo? {
        guard isStarted, !repeatsParameterSets, !written.packets.isEmpty, (try? muxer.finish()) != nil else {
            return nil
        }
        if plan.video.usesGlobalHeader {
            written.parameterSets = descriptions[plan.videoIndex]?.parameters.extradata ?? []
        }
        return written
    }

    func finish() throws {
        guard isStarted else { throw TranscodeError.noFrames(of: plan) }
        try translating { () throws(FFmpegError) in try muxer.finish() }
        guard let path, MuxerOptions.enablesSubtitleUnasked(plan) else { return }
        do { try SubtitleTracks.disableAll(in: path) } catch {
            throw TranscodeError(output: "\(plan.outputName) cannot be written", error.code)
        }
    }

    private func start() throws(FFmpegError) {
        for (stream, description) in descriptions.enumerated() {
            guard var description else { continue }
            description.initialPadding = priming(of: stream, description)
            _ = try muxer.addStream(description)
        }
        muxer.setMetadata(plan.metadata)
        try muxer.setChapters(plan.chapters)
        try muxer.writeHeader(options: options)
        isStarted = true
        headerByteCount = muxer.byteCount
        for (stream, packet) in waiting { try mux(packet, to: stream) }
        waiting = []
    }

    /// Returns the number of samples before time zero, which MP4 hides with an edit list, and Matroska with a codec
    /// delay.
    private func priming(of stream: Int, _ description: OutputStreamDescription) -> Int? {
        guard [.mkv, .webm].contains(plan.container), description.parameters.kind == .audio,
            let first = waiting.first(where: { $0.stream == stream })?.packet.presentationTime, first.ticks < 0
        else { return nil }
        return -Int(first.rescaled(to: Rational(1, description.parameters.sampleRate)).ticks)
    }

    private func translating(_ body: () throws(FFmpegError) -> Void) throws(TranscodeError) {
        do { try body() } catch { throw TranscodeError(error, writing: plan.output) }
    }
}

extension TranscodeError {
    static func startIsBeyondEnd(of input: String) -> TranscodeError {
        TranscodeError(.rangeEmpty, "\(option: .start) is beyond the last frame of \(StandardStream.input(input))")
    }
}

/// The encoded video in an output: its packets in decoding order, without their data.
struct WrittenVideo: Sendable {
    /// The packets with the timestamps passed to the muxer.
    var packets: [JournalPacket] = []
    /// The parameter sets of the header; empty if the packets contain them.
    var parameterSets: [UInt8] = []
}

extension JournalPacket {
    /// Copies the timestamps and flags of a packet.
    init(timesOf packet: Packet) {
        self.init(payload: [])
        (pts, dts, duration, flags) = (packet.pts, packet.dts, packet.duration, packet.flags)
    }
}

extension TranscodeError {
    /// Nothing of the video was part of the output.
    static func noFrames(of plan: TranscodePlan) -> TranscodeError {
        if plan.timestamps.isWhole {
            return TranscodeError(.inputNoFrames, "no frame of \(plan.inputName) could be encoded")
        }
        if plan.timestamps.end == nil { return .startIsBeyondEnd(of: plan.input) }
        return TranscodeError(
            .rangeEmpty, "\(plan.inputName) has no frame in the range of \(option: .start) and \(option: .duration)")
    }
}
