import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Supplemental enhancement information")
struct SEITests {
    private func messages(_ stream: CodedStream) throws -> [SEIMessage] {
        try stream.units { $0.isSEI }.flatMap { try SEIMessage.messages(in: $0, codec: stream.codec) }
    }

    @Test func `HDR10's mastering display and light level are read`() throws {
        var test = try #require(StreamCase.hevc.first { $0.name == "PQ" })
        test.recipe = .hdr10
        let messages = try messages(CodedStream(test))
        #expect(messages.compactMap(\.masteringDisplay).first == HDRMetadata.sample.masteringDisplay)
        #expect(messages.compactMap(\.contentLightLevel).first == HDRMetadata.sample.contentLightLevel)
    }

    @Test(arguments: NALCodec.allCases) func `HDR10's messages are read as they were written`(codec: NALCodec)
        throws
    {
        let (display, light) = (HDRMetadata.sample.masteringDisplay, HDRMetadata.sample.contentLightLevel)
        let messages = [SEIMessage(try #require(display)), SEIMessage(try #require(light))]
        let unit = SEIMessage.nalUnit(messages, codec: codec)
        #expect(NALUnit(codec: codec, range: unit.indices, in: unit.span.bytes).isSEI)
        let read = try SEIMessage.messages(in: unit, codec: codec)
        #expect(read == messages && read[0].masteringDisplay == display && read[1].contentLightLevel == light)
    }

    @Test func `long messages and their types have numbers of several bytes`() throws {
        let message = SEIMessage(type: SEIPayloadType(rawValue: 300), payload: [UInt8](repeating: 0, count: 600))
        let unit = SEIMessage.nalUnit([message], codec: .hevc)
        #expect(try SEIMessage.messages(in: unit, codec: .hevc) == [message])
    }

    @Test func `x264 says who it is`() throws {
        let messages = try messages(CodedStream(StreamCase.h264[0]))
        let text = try #require(messages.compactMap(\.userDataUnregistered).first).bytes
        #expect(String(decoding: text, as: UTF8.self).contains("x264"))
        #expect(messages.first?.type == .userDataUnregistered)
    }

    @Test func `T.35 data has a country, of one byte or two`() throws {
        let unit: [UInt8] = [6, 4, 3, 0xb5, 1, 2, 4, 3, 0xff, 9, 7, 0x80]
        let messages = try SEIMessage.messages(in: unit, codec: .h264)
        #expect(messages.compactMap { $0.userDataRegistered?.countryCode } == [[0xb5], [0xff, 9]])
        #expect(messages.compactMap { $0.userDataRegistered?.bytes } == [[1, 2], [7]])
    }

    @Test func `sizes beyond the end are errors`() {
        let unit: [UInt8] = [6, 5, 255, 255, 16, 1, 0x80]
        #expect(throws: BitstreamError.truncated) { try SEIMessage.messages(in: unit, codec: .h264) }
        let empty: [UInt8] = [6, 0x80]
        #expect(throws: BitstreamError.truncated) { try SEIMessage.messages(in: empty, codec: .h264) }
        #expect(SEIPayloadType(rawValue: 137).description == "mastering display colour volume")
    }
}
