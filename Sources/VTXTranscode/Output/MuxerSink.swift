import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// Writes packets into one file, as they come.
///
/// The header needs every stream's description, and the parameter sets of a stream may be known only with its first
/// packet: until all streams are open, packets wait here. Where encoders follow each other whose parameter sets differ, each
/// key frame gets its own.
///
/// Unchecked: one thread calls it, as the contract says.
final class MuxerSink: PacketSink, @unchecked Sendable {
    private let plan: TranscodePlan
    private let muxer: Muxer
    /// nil for an output that nothing can be changed in once it is written.
    private let path: String?
    private let options: [(String, String)]
    private var descriptions: [OutputStreamDescription?]
    private let repeatsParameterSets: Bool
    /// AV1's key frames have their sequence header beside them, whatever the file's header says: another one is no change.
    private let hasOwnHeaders: Bool
    /// Of the video that comes now, where the header says others.
    private var parameterSets: [UInt8] = []
    private let damage: InputErrorReport
    private var waiting: [(stream: Int, packet: Packet)] = []
    private var waitingBytes = 0
    /// How many bytes may wait. An encoder holds back seconds; who waits for longer waits for a picture that never
    /// comes.
    private let byteLimit: Int
    private var isStarted = false
    private(set) var headerByteCount: Int64 = 0
    /// Kept where a GPU may fail in mid-file.
    private var written = WrittenVideo()

    /// - Parameter repeatsParameterSets: other encoders than this plan's have made a part of the video, or may.
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

    /// What is written stays as it is: a GPU's encoder may be followed by another one, whose parameter sets then have to be
    /// beside the pictures.
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
                "no picture comes for \(byteLimit >> 20) MiB of what is beside it in \(plan.inputName)",
                hint: "\(option: .start) begins later or earlier; "
                    + "\(option: .audioStreams), \(option: .subtitleStreams) and their like leave streams out")
        }
        waiting.append((stream, packet))
    }

    /// A packet that the muxer will not have is the source's fault: it costs itself, not the file.
    private func mux(_ packet: Packet, to stream: Int) throws(FFmpegError) {
        if stream == plan.videoIndex, plan.video.usesHardware { written.packets.append(JournalPacket(timesOf: packet)) }
        do { try muxer.write(packet, to: stream) } catch {
            guard error.isAboutData else { throw error }
            damage.countUnreadable()
        }
    }

    /// What comes next begins a fragment, in a file whose options leave that to its writer.
    func endFragment() throws(TranscodeError) {
        if isStarted { try translating { () throws(FFmpegError) in try muxer.endFragment() } }
    }

    /// The work has failed: closes the file, so that the video in it can be read.
    ///
    /// - Returns: nil where there is none, or where packets are not any more what their encoders gave.
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
        guard isStarted else {
            guard !plan.timestamps.isWhole else {
                throw TranscodeError(.inputNoFrames, "no frame of \(plan.inputName) could be encoded")
            }
            if plan.timestamps.end == nil { throw TranscodeError.startIsBeyondEnd(of: plan.input) }
            throw TranscodeError(
                .rangeEmpty,
                "\(plan.inputName) has no frame in the part that \(option: .start) and \(option: .duration) ask for")
        }
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

    /// Samples that lie before time zero: what an MP4's edit list hides, Matroska hides by a codec delay.
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

/// The coded video in an output, packet by packet in decoding order, without its bytes.
struct WrittenVideo: Sendable {
    /// With the times that the muxer was given.
    var packets: [JournalPacket] = []
    /// Of the header; none where packets have them.
    var parameterSets: [UInt8] = []
}

extension JournalPacket {
    /// A packet's times and flags.
    init(timesOf packet: Packet) {
        self.init(payload: [])
        (pts, dts, duration, flags) = (packet.pts, packet.dts, packet.duration, packet.flags)
    }
}
