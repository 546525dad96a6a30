import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

@testable import VTXCapture

@Suite("HEVC over RTMP")
struct EnhancedRTMPTests {
    private static let fileHeader: [UInt8] = Array("FLV".utf8) + [1, 5, 0, 0, 0, 9, 0, 0, 0, 0]

    private static func tag(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
        let size = UInt8(data.count)
        return [type, 0, 0, size, 0, 1, 2, 0, 0, 0, 0] + data + [0, 0, 0, size + 11]
    }

    private static func name(_ text: String, _ value: [UInt8]) -> [UInt8] {
        [0, UInt8(text.utf8.count)] + Array(text.utf8) + [0] + value
    }

    /// What libavformat writes of each kind, and enhanced RTMP's form of it.
    private static let tags: [(avc: [UInt8], hevc: [UInt8])] = {
        let fourCC = Array("hvc1".utf8)
        let width = name("width", [0x40, 0x74, 0, 0, 0, 0, 0, 0])
        // The numbers 7 and 0x68766331.
        let avc = width + name("videocodecid", [0x40, 0x1c, 0, 0, 0, 0, 0, 0]) + width
        let hevc = width + name("videocodecid", [0x41, 0xda, 0x1d, 0x98, 0xcc, 0x40, 0, 0]) + width
        return [
            (tag(18, avc), tag(18, hevc)), (tag(18, width), tag(18, width)),
            (tag(9, [0x17, 0, 0, 0, 0, 1, 2, 3]), tag(9, [0x90] + fourCC + [1, 2, 3])),
            (tag(8, [0xaf, 1, 0x17, 0, 0, 0, 0]), tag(8, [0xaf, 1, 0x17, 0, 0, 0, 0])),
            (tag(9, [0x17, 1, 0, 0, 0, 4, 5]), tag(9, [0x93] + fourCC + [4, 5])),
            (tag(9, [0x27, 1, 0, 0, 0, 6]), tag(9, [0xa3] + fourCC + [6])),
            (tag(9, [0x27, 1, 0, 0, 40, 7]), tag(9, [0xa1] + fourCC + [0, 0, 40, 7])),
            (tag(9, [0x17, 2, 0, 0, 0]), tag(9, [0x92] + fourCC)), (tag(9, [0x52, 0]), tag(9, [0x52, 0])),
        ]
    }()

    @Test("tags have the FourCC and the same timestamps, in portions of any size", arguments: [1, 7, 1000])
    func tags(portion: Int) {
        let stream = Self.fileHeader + Self.tags.flatMap(\.avc)
        var (flv, converted) = (EnhancedFLV(), [UInt8]())
        for begin in stride(from: 0, to: stream.count, by: portion) {
            let bytes = Array(stream[begin..<min(begin + portion, stream.count)])
            converted += flv.convert(bytes.span.bytes)
        }
        #expect(converted == Self.fileHeader + Self.tags.flatMap(\.hevc))
    }

    @Test("an incomplete tag waits for its end")
    func incomplete() {
        var flv = EnhancedFLV()
        let stream = Self.fileHeader + Self.tags[2].avc
        let first = flv.convert(Array(stream.dropLast()).span.bytes)
        #expect(first == Self.fileHeader)
        let last = flv.convert([stream.last!].span.bytes)
        #expect(last == Self.tags[2].hevc)
    }

    /// Muxes packets as a connection does, with an FLV muxer that refuses HEVC.
    private func mux(_ packets: [CapturePacket]) throws -> [[UInt8]] {
        let bytes = WrittenFLV()
        try bytes.mux(try packets.map { try $0.asH264() }) { EnhancedRTMP(writing: $0) }
        return bytes.videoTags
    }

    @Test("the muxed stream has the record, and each packet's NAL units with lengths")
    func muxed() throws {
        let packets = try capturePackets(.hevc, .hevc)
        let lengths = try LengthPrefixed(lengthSize: 4)
        let samples = try packets.map { try lengths.convert(annexB: $0.packet.bytes.bytes, codec: .hevc) }
        let tags = try mux(packets)
        #expect(tags.count == packets.count + 2)
        let record = try HEVCDecoderConfigurationRecord(Array(try #require(tags.first)[5...]))
        let framing = try NALFraming(extradata: packets[0].parameters.extradata, codec: .hevc)
        #expect(framing.units.starts(with: record.arrays.flatMap(\.units)) && record.arrays.count == 3)
        for (tag, sample) in zip(tags.dropFirst(), samples) {
            #expect(Array(tag.dropFirst(tag[0] & 0x0f == 1 ? 8 : 5)) == sample)
        }
        #expect(tags.allSatisfy { Array($0[1..<5]) == Array("hvc1".utf8) })
        #expect(tags[0][0] == 0x90 && tags.last == [0x92] + Array("hvc1".utf8))
    }

    @Test("another encoder's parameter sets are sent before its first key frame")
    func otherEncoder() throws {
        let packets = try packetsOfTwoEncoders(.hevc, .hevc)
        let tags = try mux(packets)
        let headers = tags.filter { $0[0] & 0x0f == 0 }
        #expect(headers.count == 2 && headers[0] != headers[1] && tags.count == packets.count + 3)
    }
}
