import Glibc
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A video stream as NAL units, in any container or none. Recognized by the contents of the file, not by its name.
struct NALSource {
    let codec: NALCodec
    let source: Source

    enum Source {
        /// Annex B.
        case byteStream(InputBytes)
        case packets(Demuxer, InputStream)
    }

    /// The number of bytes in which a byte stream must have its first SPS, and a container be recognized.
    private static let headSize = 1 << 20

    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - position: The index among a container's video streams, without cover art, from 0.
    ///   - codec: The codec of a byte stream that cannot be recognized.
    static func open(_ path: String, videoPosition position: Int, codec: NALCodec?) throws(TranscodeError)
        -> NALSource
    {
        let bytes = try InputBytes.open(path)
        if let found = try byteStreamCodec(of: bytes, asked: codec) {
            return NALSource(codec: found, source: .byteStream(bytes))
        }
        let demuxer = try openContainer(bytes, path)
        if demuxer.isRawVideo, let found = codec ?? NALCodec(rawValue: demuxer.formatName) {
            return NALSource(codec: found, source: .byteStream(try InputBytes.open(path)))
        }
        return try choose(of: demuxer, at: position, bytes.name)
    }

    private static func byteStreamCodec(
        of bytes: InputBytes, asked: NALCodec?
    ) throws(TranscodeError) -> NALCodec? {
        let announced = try bytes.lookAhead(limit: headSize) { head -> NALCodec?? in
            guard head.count >= 16 else { return nil }
            guard ByteStreamCodec.beginsWithStartCode(head.span.bytes) else { return .some(nil) }
            return ByteStreamCodec.announced(in: head.span.bytes).map { .some(asked ?? $0) }
        }
        if let announced { return announced }
        var isEmpty = false
        let guessed = try bytes.lookAhead(limit: 0) { head -> NALCodec? in
            isEmpty = head.isEmpty
            guard ByteStreamCodec.beginsWithStartCode(head.span.bytes) else { return nil }
            return asked ?? ByteStreamCodec.guessed(from: head.span.bytes)
        }
        guard !isEmpty else { throw TranscodeError(.inputEmpty, "\(bytes.name) is empty") }
        return guessed
    }

    private static func openContainer(_ bytes: InputBytes, _ path: String) throws(TranscodeError) -> Demuxer {
        let refused = InputFile.refusedNames
        do {
            if let path = bytes.path { return try Demuxer(path: path, refusing: refused) }
            return try Demuxer(reading: bytes, refusing: refused)
        } catch {
            guard bytes.path == nil else { throw InputFile.explain(error, path == "-" ? "/dev/stdin" : path) }
            throw TranscodeError(
                .inputNotMedia,
                "\(bytes.name) is neither an H.264 or HEVC byte stream nor a container that can be read from a pipe",
                hint: "an MP4 with its index at the end must be a file")
        }
    }

    private static func choose(
        of demuxer: Demuxer, at position: Int, _ name: String
    ) throws(TranscodeError) -> NALSource {
        let videos = demuxer.streams.filter { $0.kind == .video && !$0.isCoverArt }
        guard !videos.isEmpty else {
            throw TranscodeError(.inputNoVideo, "\(name) has no video stream")
        }
        guard videos.indices.contains(position) else {
            throw .videoPosition(position, in: name, count: videos.count)
        }
        guard let codec = NALCodec(rawValue: videos[position].parameters.codecName) else {
            throw TranscodeError(
                .inputCodec,
                "the video in \(name) is \(videos[position].parameters.codecName); only H.264 and HEVC have NAL units")
        }
        demuxer.keepOnly([videos[position].index])
        return NALSource(codec: codec, source: .packets(demuxer, videos[position]))
    }
}

extension Demuxer {
    /// Whether libavformat would parse a byte stream itself. Junk may precede it.
    fileprivate var isRawVideo: Bool { formatName == "h264" || formatName == "hevc" }
}

/// The bytes of a file or a pipe, in order, with lookahead at the beginning.
///
/// Unchecked: read by one thread.
final class InputBytes: ByteSource, @unchecked Sendable {
    /// The name in messages.
    let name: String
    private let descriptor: FileDescriptor
    /// Bytes looked at but not read.
    private var ahead: [UInt8] = []

    private init(name: String, descriptor: consuming FileDescriptor) {
        self.name = name
        self.descriptor = descriptor
    }

    /// - Parameter path: `-` is standard input.
    static func open(_ path: String) throws(TranscodeError) -> InputBytes {
        if path != "-" { try InputFile.checkIsNoDevice(path) }
        let name = name(of: path)
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try path == "-" ? FileDescriptor(duplicating: STDIN_FILENO) : FileDescriptor(opening: path)
        } catch { throw InputFile.unreadable(name, error.code) }
        let bytes = InputBytes(name: name, descriptor: descriptor)
        guard bytes.kind != .directory else { throw InputFile.unreadable(name, EISDIR) }
        return bytes
    }

    /// Returns the name of a path in messages.
    static func name(of path: String) -> String { path == "-" ? "standard input" : "'\(path)'" }

    /// A path to the open file, even if its name now refers to another one; nil for pipes and the like, which can be
    /// read only once.
    var path: String? { kind == .regular ? descriptor.path : nil }

    private var kind: FileStatus.Kind? { descriptor.status?.kind }

    /// Looks at the first bytes, more and more of them, until `recognize` returns a result. They can still be read.
    ///
    /// - Returns: nil if the first `limit` bytes are not recognized.
    func lookAhead<Result>(limit: Int, _ recognize: ([UInt8]) -> Result?) throws(TranscodeError) -> Result? {
        while true {
            if let result = recognize(ahead) { return result }
            guard ahead.count < limit else { return nil }
            let more = try readMore()
            guard !more.isEmpty else { return nil }
            ahead += more
        }
    }

    /// Reads the next bytes; none at the end.
    func next() throws(TranscodeError) -> [UInt8] {
        guard ahead.isEmpty else {
            defer { ahead = [] }
            return ahead
        }
        return try readMore()
    }

    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        guard !ahead.isEmpty else { return try descriptor.read(into: &target) }
        let count = min(target.byteCount, ahead.count)
        for index in 0..<count { target.storeBytes(of: ahead[index], toByteOffset: index, as: UInt8.self) }
        ahead.removeFirst(count)
        return count
    }

    private static let chunkSize = 1 << 18

    private func readMore() throws(TranscodeError) -> [UInt8] {
        do throws(SystemError) { return try descriptor.read(upTo: Self.chunkSize) } catch {
            throw InputFile.unreadable(name, error.code)
        }
    }
}
