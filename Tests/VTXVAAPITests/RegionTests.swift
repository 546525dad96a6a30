import Testing
import VTXLibVA
import VTXMedia

@testable import VTXVAAPI

@Suite("Regions of interest by driver")
struct RegionTests {
    private func maxRegions(_ attribute: UInt32?, _ mode: RateControlChoice.Mode) -> Int {
        var attributes: [ConfigAttribute: UInt32] = [:]
        attributes[.encROI] = attribute
        let row = DriverCapabilities.Row(profile: .h264High, entrypoint: .encSlice, attributes: attributes)
        let answers = DriverCapabilities(
            apiVersion: APIVersion(major: 1, minor: 17), vendorString: "some driver", rows: [row])
        return EncodingModeCandidate(
            row: row, rate: RateControlChoice(mode: mode), quirks: DriverQuirks(answers)
        ).maxRegions
    }

    @Test(
        "the driver's number; with a bit rate, only if it supports offsets",
        arguments: [
            (UInt32(0x203), 3, 3), (0x8000_0308, 8, 8), (0x8000_0003, 3, 0), (0x103, 3, 0), (0, 0, 0),
        ])
    func count(attribute: UInt32, constant: Int, atRate: Int) {
        #expect(maxRegions(attribute, .cqp) == constant)
        #expect(maxRegions(attribute, .vbr) == atRate)
    }

    @Test("none if it reports nothing")
    func unknown() { #expect(maxRegions(nil, .cqp) == 0) }
}
