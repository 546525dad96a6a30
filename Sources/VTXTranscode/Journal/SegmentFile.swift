import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// The file of one segment's encoded video, for the process that joins the segments. It consists of records as in a
/// journal: the first describes the task, the last the result. The file appears under its name when it is complete.
enum SegmentFile {
    typealias Header = JournalHeader<JournaledTask>

    static func header(_ plan: TranscodePlan, _ request: JournalRequest) throws(SystemError) -> Header {
        let sources = try plan.addedFiles.map { path throws(SystemError) in try SourceIdentity(of: path) }
        return Header(
            task: JournaledTask(plan.withoutLoudnessGains, request), source: try SourceIdentity(of: plan.input),
            additions: sources,
            versions: Header.versions(request.version))
    }

    /// The contents of the last record.
    struct Ending: Codable, Sendable {
        var frames: Int
        /// The checksum of everything before it.
        var checksum: UInt32
        var samples: OutputSamples
        /// The notices about this part of the source.
        var notices: [Notice]
        var isIncomplete: Bool
    }
}

extension TranscodePlan {
    /// A segment contains only video, and the process that encodes it measures no audio.
    fileprivate var withoutLoudnessGains: TranscodePlan {
        var plan = self
        for index in plan.streams.indices {
            guard case .convertAudio(var settings) = plan.streams[index].action else { continue }
            settings.loudnessGain = nil
            plan.streams[index].action = .convertAudio(settings)
        }
        return plan
    }
}

/// Writes the video of a segment, and nothing else.
///
/// Unchecked: called by one thread, as the contract requires.
final class SegmentSink: PacketSink, @unchecked Sendable {
    private let file: AtomicFile
    private let plan: TranscodePlan
    private let ledger: OutputLedger
    private let damage: InputErrorReport
    private var buffer: [UInt8] = []
    private var checksum = CRC32C()
    private var written: Int64 = 0
    private var frames = 0
    private var described: [UInt8] = []
    private var parameterSets: [UInt8] = []

    private static let bufferLimit = 1 << 20

    init(
        _ plan: TranscodePlan, into file: AtomicFile, _ header: SegmentFile.Header, _ ledger: OutputLedger,
        _ damage: InputErrorReport
    ) throws {
        (self.plan, self.file, self.ledger, self.damage) = (plan, file, ledger, damage)
        try append(text: header)
    }

    var byteCount: Int64 { written + Int64(buffer.count) }

    func open(_ stream: Int, _ description: OutputStreamDescription) {
        if plan.video.usesGlobalHeader { described = description.parameters.extradata }
    }

    func write(_ packet: Packet, to stream: Int) throws {
        if described != parameterSets {
            var sets = JournalPacket(payload: described)
            sets.flags = JournalPacket.parameterSetsFlag
            sets.append(to: &buffer)
            parameterSets = described
        }
        JournalPacket(packet).append(to: &buffer)
        frames += 1
        if buffer.count >= Self.bufferLimit { try flush() }
    }

    func finish() throws {
        try flush()
        let ending = SegmentFile.Ending(
            frames: frames, checksum: checksum.value, samples: ledger.samples, notices: damage.notices,
            isIncomplete: damage.isIncomplete)
        try append(text: ending)
        try flush()
    }

    private func append(text: some Encodable) throws {
        try JournalPacket(text: text).append(to: &buffer)
    }

    private func flush() throws {
        checksum.add(buffer.span.bytes)
        try reportingOutputErrors { () throws(AtomicFileError) in try file.write(buffer) }
        written += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Reads the file of a segment, frame by frame.
///
/// Unchecked: used by one thread.
final class SegmentReader: @unchecked Sendable {
    private let path: String
    private let file: FileDescriptor
    private var buffer: ArraySlice<UInt8> = []
    private var offset: Int64 = 0
    private var checksum = CRC32C()
    private var frames = 0
    /// The parameter sets of the last frame read; empty if the packets contain them.
    private(set) var parameterSets: [UInt8] = []
    /// nil until all frames have been read.
    private(set) var ending: SegmentFile.Ending?

    private static let chunk = 1 << 20

    /// - Parameter header: The header that this process would have written.
    /// - Throws: `segment.unusable`.
    init(_ path: String, expecting header: SegmentFile.Header) throws(TranscodeError) {
        self.path = path
        do throws(SystemError) { file = try FileDescriptor(opening: path) } catch {
            throw .segment(path, "it cannot be opened: \(error)")
        }
        guard let record = try record(), let then: SegmentFile.Header = record.text()
        else { throw .segment(path, "another version wrote it") }
        let difference = JournalDifference(then, header)
        guard difference.isNone else {
            throw .segment(path, "it differs in \(difference.texts.joined(separator: ", "))")
        }
        try checkAll()
    }

    /// Verifies the checksum, which is at the end, before any data is output.
    private func checkAll() throws(TranscodeError) {
        while try next() != nil {}
        (buffer, offset, checksum, frames, parameterSets, ending) = ([], 0, CRC32C(), 0, [], nil)
        _ = try record()
    }

    /// - Returns: nil after the last one.
    func next() throws(TranscodeError) -> JournalPacket? {
        while ending == nil {
            let before = checksum.value
            guard let record = try record() else { throw .segment(path, "its end is missing") }
            if record.isParameterSets {
                parameterSets = record.payload
            } else if record.isText {
                guard let ending: SegmentFile.Ending = record.text(), ending.checksum == before,
                    ending.frames == frames
                else { throw .segment(path, "it is damaged") }
                self.ending = ending
            } else {
                frames += 1
                return record
            }
        }
        return nil
    }

    /// - Returns: nil at the end of the file.
    private func record() throws(TranscodeError) -> JournalPacket? {
        guard let head = try bytes(4) else { return nil }
        var cursor = ByteCursor(Array(head))
        let length = Int(cursor.integer(UInt32.self) ?? 0)
        guard length < 1 << 30, let whole = try bytes(4 + length) else { throw .segment(path, "it is damaged") }
        cursor = ByteCursor(Array(whole))
        guard let record = JournalPacket(&cursor) else { throw .segment(path, "it is damaged") }
        checksum.add(Array(whole).span.bytes)
        buffer.removeFirst(whole.count)
        return record
    }

    /// Returns the next bytes, which stay in the buffer.
    private func bytes(_ count: Int) throws(TranscodeError) -> ArraySlice<UInt8>? {
        while buffer.count < count {
            let more: [UInt8]
            do throws(SystemError) {
                more = try file.read(at: offset, upTo: max(Self.chunk, count - buffer.count))
            } catch {
                throw .segment(path, "\(error)")
            }
            if more.isEmpty { return nil }
            offset += Int64(more.count)
            buffer = (Array(buffer) + more)[...]
        }
        return buffer.prefix(count)
    }
}

extension TranscodeError {
    fileprivate static func segment(_ path: String, _ reason: String) -> TranscodeError {
        TranscodeError(.segmentUnusable, "the segment '\(path)' cannot be joined: \(reason)")
    }
}
