import Testing
import VTX

@Suite("Library samples")
struct LibrarySampleTests {
    @Test("a round trip to Annex B keeps every byte", arguments: VideoCodec.ofNALUnits)
    func roundTrip(codec: VideoCodec) async throws {
        let pictures = try (0..<6).map { try Pictures.moving($0) }
        for sample in try await Coding.encode(pictures, .small(codec) { $0.gopSize = 3 }) {
            let stream = try sample.annexB()
            #expect(stream.starts(with: [0, 0, 0, 1]))
            let back = try Sample(
                annexB: stream.span.bytes, presentationTime: sample.presentationTime,
                decodingTime: sample.decodingTime, isKeyFrame: sample.isKeyFrame,
                formatDescription: sample.formatDescription)
            #expect(back.data == sample.data)
            let names = try sample.nalUnits().map(\.name)
            #expect(names.contains { sample.isKeyFrame == $0.contains("IDR") })
            #expect(!names.contains { $0.contains("PS") }, "parameter sets are in the description")
        }
    }

    @Test(
        "a format description is equal after a round trip through a container's record",
        arguments: VideoCodec.ofNALUnits)
    func records(codec: VideoCodec) async throws {
        let samples = try await Coding.encode([try Pictures.moving(0)], .small(codec))
        let format = try #require(samples.first).formatDescription
        #expect(format.size == PixelSize(160, 96) && format.lengthSize == 4 && format.codec == codec)
        #expect(format.parameterSets.count == (codec == .h264 ? 2 : 3))
        let record = try format.configurationRecord()
        #expect(record.first == 1)
        #expect(try FormatDescription(codec: codec, configurationRecord: record) == format)
        #expect(throws: SessionError.self) {
            _ = try FormatDescription(codec: codec, configurationRecord: Array(record.prefix(9)))
        }
    }

    @Test("invalid descriptions are refused")
    func refused() {
        #expect(throws: SessionError.self) { _ = try FormatDescription(codec: .h264, parameterSets: []) }
        #expect(throws: SessionError.self) { _ = try FormatDescription(codec: .h264, parameterSets: [[0x67]]) }
        #expect(throws: SessionError.self) {
            _ = try FormatDescription(codec: .hevc, parameterSets: [[0x42, 1]], lengthSize: 3)
        }
    }
}
