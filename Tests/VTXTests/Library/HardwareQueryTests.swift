import Testing
import VTXMedia

@testable import VTX

@Suite("Hardware queries")
struct HardwareQueryTests {
    private static let none = SharedBackendsWithoutHardware.backends

    @Test("software's encoders are listed, and are not hardware")
    func software() throws {
        let encoders = VideoHardware.encoders(of: Self.none)
        #expect(Set(encoders.map(\.codec)) == Set(VideoCodec.allCases))
        #expect(encoders.allSatisfy { !$0.isHardware && $0.device == nil && !$0.deviceName.isEmpty })
        for codec in VideoCodec.allCases {
            #expect(!VideoHardware.isEncodingSupported(codec, profile: nil, size: nil, by: Self.none))
            #expect(!VideoHardware.isDecodingSupported(codec, profile: nil, size: nil, by: Self.none))
        }
    }
}
