import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

/// Stores written bytes, and returns them from the beginning; or accepts a limited number of bytes.
private final class Bytes: ByteSink, ByteSource {
    private let state = Locked((bytes: [UInt8](), position: 0))
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var count: Int { state.withLock { $0.bytes.count } }

    func write(_ bytes: RawSpan) throws(VTXSystem.SystemError) {
        let more = [UInt8](copying: bytes)
        guard count + more.count <= limit else { throw VTXSystem.SystemError("write", EPIPE) }
        state.withLock { $0.bytes += more }
    }

    func read(into target: inout MutableRawSpan) throws(VTXSystem.SystemError) -> Int {
        let room = target.byteCount
        let part = state.withLock { state in
            let part = Array(state.bytes[state.position...].prefix(room))
            state.position += part.count
            return part
        }
        for (index, byte) in part.enumerated() { target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
        return part.count
    }
}

@Suite("Sequential bytes instead of a file")
struct ByteSinkTests {
    private static let fragments = [("movflags", "+frag_keyframe+delay_moov+default_base_moof")]

    private func write(_ format: String, into sink: Bytes) throws -> Int {
        let options = format == "mp4" ? Self.fragments : []
        let isTransportStream = format == "mpegts"
        let stream = try VideoRecipe().encode(globalHeader: !isTransportStream)
        let count = stream.packets.count
        let muxer = try Muxer(writing: sink, format: format)
        _ = try muxer.addStream(stream.description)
        try muxer.writeHeader(options: options)
        for packet in stream.packets { try muxer.write(packet, to: 0) }
        #expect(muxer.byteCount >= Int64(sink.count))
        try muxer.finish()
        return count
    }

    @Test(
        "equal a file's, and are read sequentially",
        arguments: ["matroska", "mpegts", "mp4"])
    func roundTrip(format: String) throws {
        let sink = Bytes()
        let written = try write(format, into: sink)
        let demuxer = try Demuxer(reading: sink)
        var read = 0
        while let packet = try demuxer.read() { read += packet.byteCount > 0 ? 1 : 0 }
        #expect(read == written)
    }

    @Test("a full sink ends writing with its error", arguments: ["matroska", "mpegts", "mp4"])
    func broken(format: String) {
        let error = #expect(throws: FFmpegError.self) { try write(format, into: Bytes(limit: 10)) }
        #expect(error?.status == -EPIPE)
    }
}
