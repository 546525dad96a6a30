import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The file of a recording. It has its final name from the beginning and is always complete up to the last second,
/// because a recording cannot be repeated.
///
/// Unchecked: one thread at a time calls it.
final class CaptureFile: CaptureTarget, @unchecked Sendable {
    private let path: String
    private let container: Container
    private let descriptor: FileDescriptor
    /// Whether the file did not exist before.
    private let isNew: Bool
    private var muxer: Muxer?
    /// Audio before the first frame.
    private var early = EarlyAudio()
    /// The extradata in the header.
    private var extradata: [UInt8] = []
    private var written: Int64 = 0

    /// Creates the file, or opens an existing one and leaves it unchanged until the first frame.
    init(_ path: String, _ container: Container, replaces: Bool) throws(TranscodeError) {
        do throws(AtomicFileError) { try AtomicFile.checkName(path) } catch { throw TranscodeError(recording: error) }
        (self.path, self.container) = (path, container)
        isNew = !replaces || !AtomicFile.exists(path)
        do throws(SystemError) {
            descriptor = try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0))
        } catch {
            throw error.code == EEXIST
                ? TranscodeError(existing: path)
                : TranscodeError(output: "'\(path)' cannot be written", error.code)
        }
        guard descriptor.lock() else { throw TranscodeError(AtomicFileError.busy(path: path)) }
    }

    let skippedCount = 0
    var byteCount: Int64 { muxer?.byteCount ?? written }

    /// Writes a packet, preceded by the header if it is the first one.
    func write(_ packet: CapturePacket) throws(TranscodeError) {
        guard !packet.isAudio || holdsAudio, !early.holds(packet, hasBegun: muxer != nil) else { return }
        do throws(FFmpegError) {
            if muxer == nil { muxer = try start(packet) }
            try muxer?.write(try complete(packet), to: packet.stream)
            for packet in early.take() { try muxer?.write(packet.packet, to: packet.stream) }
        } catch { throw failure(error) }
    }

    /// Whether the container supports audio; a video byte stream does not.
    private var holdsAudio: Bool { ![.h264, .h265].contains(container) }

    private func start(_ packet: CapturePacket) throws(FFmpegError) -> Muxer {
        // Opening it again truncates it: the previous contents remain until there is something to replace them.
        let muxer = try Muxer(path: descriptor.path, format: container.muxerName)
        let isTagged = packet.format.codec == .hevc && [.mp4, .mov].contains(container)
        try packet.addStreams(
            to: muxer, codecTag: isTagged ? OutputStreamDescription.tag("hvc1") : 0, withAudio: holdsAudio)
        try muxer.writeHeader(options: container.recordingOptions(for: path))
        extradata = packet.parameters.extradata
        return muxer
    }

    /// Adds parameter sets to key frames that differ from those in the header, because another encoder may have taken
    /// over.
    private func complete(_ packet: CapturePacket) throws(FFmpegError) -> Packet {
        packet.isAudio || packet.parameters.extradata == extradata
            ? try packet.withParameterSets(for: container.muxerName) : try packet.withParameterSets()
    }

    /// Closes the file. A file without a frame is removed, unless it existed before.
    ///
    /// - Throws: also if the name now refers to another file, or to none.
    func finish() throws(TranscodeError) {
        guard let muxer else { return discard() }
        written = muxer.byteCount
        do throws(FFmpegError) { try muxer.finish() } catch { throw failure(error) }
        self.muxer = nil
        do throws(SystemError) { try descriptor.synchronize() } catch {
            throw TranscodeError(output: "'\(path)' cannot be written", error.code)
        }
        written = descriptor.status?.byteCount ?? written
        guard hasName else {
            throw TranscodeError(
                .outputWrite, "'\(path)' was removed or replaced while it was written: the recording is lost")
        }
    }

    func hurry() {}

    private var hasName: Bool { FileIdentity(path) == descriptor.status?.identity }

    private func discard() {
        if isNew, hasName { unlink(path) }
    }

    private func failure(_ error: FFmpegError) -> TranscodeError {
        switch error.kind {
        case .noSpace, .permission, .notFound:
            TranscodeError(output: "'\(path)' cannot be written", -error.status)
        default: TranscodeError(.outputWrite, "'\(path)' cannot be written: \(error)").caused(by: "\(error)")
        }
    }
}

/// Audio that waits for the first frame, whose packet is needed for the header.
struct EarlyAudio: Sendable {
    /// About ten seconds.
    private static let limit = 512
    private var packets: [CapturePacket] = []

    /// - Returns: whether the packet is held; false if it can be written.
    mutating func holds(_ packet: CapturePacket, hasBegun: Bool) -> Bool {
        guard packet.isAudio, !hasBegun else { return false }
        packets.append(packet)
        if packets.count > Self.limit { packets.removeFirst() }
        return true
    }

    mutating func take() -> [CapturePacket] {
        defer { packets = [] }
        return packets
    }
}

extension TranscodeError {
    /// The error of an output, with the options of a recording.
    init(recording error: AtomicFileError) {
        switch error {
        case .exists(let path): self.init(existing: path)
        case .isDirectory(let path):
            self.init(.outputNotAFile, "the output '\(path)' is a directory", hint: "name a file in it")
        default: self.init(error)
        }
    }

    init(existing output: String) {
        self.init(
            .outputExists, "the output '\(output)' exists already",
            hint: "\(option: .overwrite, "replace") replaces it, \(option: .overwrite, "skip") keeps it")
    }
}

extension Container {
    /// The muxer options that keep a file complete up to the last second.
    fileprivate func recordingOptions(for path: String) -> [(String, String)] {
        let flush = [("flush_packets", "1")]
        switch self {
        case .mp4, .mov:
            // Without delay_moov, the index precedes the first frame: real-time encoders do not reorder.
            return flush + [
                ("movflags", "+frag_keyframe+empty_moov+default_base_moof"), ("frag_duration", "1000000"),
            ]
        case .mkv, .webm: return flush + [("cluster_time_limit", "1000")]
        case .ts: return flush + [Self.packetOption(for: path)]
        case .h264, .h265: return flush
        }
    }
}
