import Testing
import VTXBitstream

@Suite("NAL unit headers")
struct HeaderTests {
    @Test func `every H.264 header is written as it was read`() throws {
        for byte: UInt8 in 0...0x7f {
            let header = try H264NALUnitHeader([byte])
            #expect(header.bytes == [byte])
        }
    }

    @Test func `every HEVC header is written as it was read`() throws {
        for first: UInt8 in 0...0x7f {
            for second: UInt8 in 0...0xff where second & 7 != 0 {
                #expect(try HEVCNALUnitHeader([first, second]).bytes == [first, second])
            }
        }
    }

    @Test func `headers that no stream may have are errors`() {
        #expect(throws: BitstreamError.truncated) { try H264NALUnitHeader([UInt8]()) }
        #expect(throws: BitstreamError.truncated) { try HEVCNALUnitHeader([0x42]) }
        #expect(throws: BitstreamError.self) { try H264NALUnitHeader([0x80]) }
        #expect(throws: BitstreamError.self) { try HEVCNALUnitHeader([0x80, 1]) }
        #expect(throws: BitstreamError.self) { try HEVCNALUnitHeader([0x42, 0]) }
    }

    @Test func `types are named by the specifications`() {
        #expect((0..<32).map { H264NALUnitType(rawValue: $0).description }.contains("") == false)
        #expect(H264NALUnitType(rawValue: 28) == .fuA && H264NALUnitType.stapA.description == "STAP-A")
        #expect(
            HEVCNALUnitType.idrNLP.description == "IDR_N_LP" && HEVCNALUnitType(rawValue: 63).description == "UNSPEC63")
        #expect(HEVCNALUnitType.cra.isIRAP && !HEVCNALUnitType.cra.isIDR && HEVCNALUnitType.raslR.isSlice)
    }
}
