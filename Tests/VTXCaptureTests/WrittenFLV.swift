import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

@testable import VTXCapture

/// The tags of an FLV stream.
final class WrittenFLV: ByteSink {
    private let bytes = Locked<[UInt8]>([])

    func write(_ bytes: RawSpan) { self.bytes.withLock { $0 += [UInt8](copying: bytes) } }

    /// The data of all video tags.
    var videoTags: [[UInt8]] {
        let all = bytes.withLock(\.self)
        var (offset, tags) = (13, [[UInt8]]())
        while offset < all.count {
            let size = all[offset + 1..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if all[offset] == 9 { tags.append(Array(all[offset + 11..<offset + 11 + size])) }
            offset += 11 + size + 4
        }
        return tags
    }

    /// Muxes packets as a connection does.
    func mux(_ packets: [CapturePacket], through sink: (WrittenFLV) -> any ByteSink = { $0 }) throws {
        let muxer = try Muxer(writing: sink(self), format: "flv")
        let first = try #require(packets.first)
        try first.addStreams(to: muxer)
        try muxer.writeHeader(options: [("flush_packets", "1"), ("flvflags", "no_duration_filesize")])
        let header = HeaderParameterSets(for: first, in: "flv")
        for packet in packets { try muxer.write(try header.complete(packet), to: 0) }
        try muxer.finish()
    }
}

/// The packets of an encoder that leaves its parameter sets to the header.
func capturePackets(_ recipe: VideoRecipe, _ codec: VideoCodec) throws -> [CapturePacket] {
    let stream = try recipe.encode(globalHeader: true)
    let format = CaptureStreamFormat(codec: codec, frameRate: 25, color: .bt709, usesGlobalHeader: true)
    return stream.packets.map {
        CapturePacket(packet: $0, parameters: stream.description.parameters, format: format)
    }
}

/// The packets of one encoder, then those of another one, which has another size.
func packetsOfTwoEncoders(_ recipe: VideoRecipe, _ codec: VideoCodec) throws -> [CapturePacket] {
    var other = recipe
    other.size = PixelSize(96, 64)
    let (first, second) = (try capturePackets(recipe, codec), try capturePackets(other, codec))
    for packet in second { packet.packet.shift(by: packet.packet.timeBase == Rational(1, 25) ? 100 : 1_000_000) }
    return first + second
}
