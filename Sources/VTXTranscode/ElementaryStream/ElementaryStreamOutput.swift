import Glibc
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// An output that has its name only when it is whole: written under another one, read back, then renamed.
struct ElementaryStreamOutput {
    let path: String
    let input: String
    let overwrite: OverwritePolicy
    let cancellation: Cancellation

    /// - Returns: false where the output exists and is to be left alone.
    func isWanted() throws(TranscodeError) -> Bool {
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: input, output: path)
            return try AtomicFile.isWanted(path, overwrite)
        }
    }

    /// Has the file written and checked, and puts it in place; nothing is left of it after an error.
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
            try stopIfCancelled()
            try reportingOutputErrors { () throws(AtomicFileError) in try file.commit() }
        } catch {
            file.discard()
            throw error
        }
    }

    /// To be called often.
    func stopIfCancelled() throws(TranscodeError) {
        guard let reason = cancellation.reason else { return }
        throw .cancelled(reason, output: path)
    }
}

/// Writes NAL units as a byte stream, each after a start code of four bytes.
final class ByteStreamWriter {
    private let name: String
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// Of all that was written.
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

    /// To be called at the end.
    func flush() throws(TranscodeError) {
        digest.add(buffer.span.bytes)
        do throws(SystemError) { try descriptor.writeAll(buffer.span.bytes) } catch { throw Self.failure(name, error) }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ name: String, _ error: SystemError) -> TranscodeError {
        TranscodeError(output: "'\(name)' cannot be written", error.code)
    }
}

/// How a container holds a video's NAL units: what libavformat says of it, and the parameter sets of higher layers in
/// MP4, which it passes over.
struct ContainerFraming {
    private let codec: NALCodec
    private let isSelfContained: Bool
    private let boxes: SampleEntryBoxes?

    /// - Parameter input: the file's path; `-` is standard input.
    init(_ demuxer: Demuxer, _ codec: NALCodec, of input: String) {
        self.codec = codec
        isSelfContained = demuxer.isSelfContained
        boxes = codec == .hevc && demuxer.isMP4 ? SampleEntryBoxes(path: input == "-" ? "/dev/stdin" : input) : nil
    }

    /// - Parameter extradata: the stream's, or a packet's new one.
    /// - Throws: where the record, or that of the layers, cannot be read.
    func framing(_ extradata: [UInt8]) throws(BitstreamError) -> NALFraming {
        var framing = try NALFraming(extradata: extradata, codec: codec, isSelfContained: isSelfContained)
        if let layers = boxes?.contents(of: "lhvC", beside: extradata, in: "hvcC") {
            framing.add(try LHEVCDecoderConfigurationRecord(layers))
        }
        return framing
    }
}

extension Demuxer {
    /// True where packets hold all there is: transport streams can be entered anywhere, byte streams have no header.
    fileprivate var isSelfContained: Bool { hasDiscontinuities || hasNoTimestamps }

    /// MP4, QuickTime and their family.
    var isMP4: Bool { formatName.hasPrefix("mov,") }
}

/// Tells whether what was read back is what was written, without keeping either (FNV-1a, of 64 bits).
struct ContentDigest: Equatable {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    private var byteCount: Int64 = 0
    private(set) var unitCount = 0

    /// The next bytes, however they are cut.
    mutating func add(_ bytes: RawSpan) {
        byteCount += Int64(bytes.byteCount)
        var hash = hash
        for offset in 0..<bytes.byteCount {
            hash = (hash ^ UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) &* 0x100_0000_01b3
        }
        self.hash = hash
    }

    /// A NAL unit; where it ends counts too.
    mutating func add(unit: RawSpan) {
        add(unit)
        hash = (hash ^ UInt64(unit.byteCount)) &* 0x100_0000_01b3
        unitCount += 1
    }
}
