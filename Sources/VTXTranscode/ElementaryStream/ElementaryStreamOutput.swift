import Glibc
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// An output that appears under its name when it is complete: written under a temporary name, read back, then renamed.
struct ElementaryStreamOutput {
    let path: String
    let input: String
    let overwrite: OverwritePolicy
    let cancellation: Cancellation

    /// - Returns: false if the output exists and is not to be replaced.
    func isWanted() throws(TranscodeError) -> Bool {
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: input, output: path)
            return try AtomicFile.isWanted(path, overwrite)
        }
    }

    /// Writes, checks and renames the file. After an error, no file remains.
    func write(
        _ body: (AtomicFile) throws(TranscodeError) -> Void, check: (AtomicFile) throws(TranscodeError) -> Void
    ) throws(TranscodeError) {
        let file = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(path, replaces: overwrite == .replace, source: input, timeout: .worker)
        }
        do throws(TranscodeError) {
            try body(file)
            try reportingOutputErrors { () throws(AtomicFileError) in try file.synchronize() }
            try check(file)
            // No thread may have heard yet that the owner is gone.
            _ = cancellation.checked()
            try stopIfCancelled()
            try reportingOutputErrors { () throws(AtomicFileError) in try file.commit() }
        } catch {
            file.discard()
            throw error
        }
    }

    /// Throws after a cancellation. Call it often.
    func stopIfCancelled() throws(TranscodeError) {
        guard let reason = cancellation.reason else { return }
        throw .cancelled(reason, output: path)
    }
}

/// Writes NAL units as a byte stream, each after a four-byte start code.
final class ByteStreamWriter {
    private let name: String
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// The digest of everything written.
    private(set) var digest = ContentDigest()
    private(set) var unitCount = 0

    init(_ file: AtomicFile) throws(TranscodeError) {
        name = file.finalPath
        do throws(SystemError) { descriptor = try FileDescriptor(opening: file.openedPath, O_WRONLY) } catch {
            throw Self.failure(file.finalPath, error)
        }
        buffer.reserveCapacity(2 * Self.bufferSize)
    }

    private static let bufferSize = 1 << 20

    func write(_ unit: RawSpan) throws(TranscodeError) {
        buffer += AnnexB.startCode
        buffer.append(unit)
        unitCount += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Writes the buffer. Call it at the end.
    func flush() throws(TranscodeError) {
        digest.add(buffer.span.bytes)
        do throws(SystemError) { try descriptor.writeAll(buffer.span.bytes) } catch { throw Self.failure(name, error) }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ name: String, _ error: SystemError) -> TranscodeError {
        TranscodeError(output: "'\(name)' cannot be written", error.code)
    }
}

/// The framing of a video's NAL units in a container, according to libavformat and, for MP4, the parameter sets of
/// higher layers, which libavformat ignores.
struct ContainerFraming {
    private let codec: NALCodec
    private let isSelfContained: Bool
    private let boxes: SampleEntryBoxes?

    /// - Parameter input: The path of the file; `-` is standard input.
    init(_ demuxer: Demuxer, _ codec: NALCodec, of input: String) {
        self.codec = codec
        isSelfContained = demuxer.isSelfContained
        boxes = codec == .hevc && demuxer.isMP4 ? SampleEntryBoxes(path: input == "-" ? "/dev/stdin" : input) : nil
    }

    /// - Parameter extradata: That of the stream, or the new one of a packet.
    /// - Throws: if the record, or that of the layers, cannot be parsed.
    func framing(_ extradata: [UInt8]) throws(BitstreamError) -> NALFraming {
        var framing = try NALFraming(extradata: extradata, codec: codec, isSelfContained: isSelfContained)
        if let layers = boxes?.contents(of: "lhvC", beside: extradata, in: "hvcC") {
            framing.add(try LHEVCDecoderConfigurationRecord(layers))
        }
        return framing
    }
}

extension Demuxer {
    /// Whether packets contain all parameter sets: decoding can start anywhere in a transport stream, and byte streams
    /// have no header.
    fileprivate var isSelfContained: Bool { hasDiscontinuities || hasNoTimestamps }

    /// Whether the container is MP4, QuickTime or related.
    var isMP4: Bool { formatName.hasPrefix("mov,") }
}

/// A digest that tells whether what was read back equals what was written (FNV-1a, 64 bits).
struct ContentDigest: Equatable {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    private var byteCount: Int64 = 0
    private(set) var unitCount = 0

    /// Adds bytes; how they are divided does not matter.
    mutating func add(_ bytes: RawSpan) {
        byteCount += Int64(bytes.byteCount)
        var hash = hash
        for offset in 0..<bytes.byteCount {
            hash = (hash ^ UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) &* 0x100_0000_01b3
        }
        self.hash = hash
    }

    /// Adds a NAL unit, including its end.
    mutating func add(unit: RawSpan) {
        add(unit)
        hash = (hash ^ UInt64(unit.byteCount)) &* 0x100_0000_01b3
        unitCount += 1
    }
}
