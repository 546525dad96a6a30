import Testing
import VTXMedia
import VTXSoftware
import VTXSystem

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

    @Test("an encoder's properties are known before a session exists", arguments: VideoCodec.allCases)
    func properties(codec: VideoCodec) throws {
        let properties = VideoHardware.supportedProperties(of: codec)
        let session = try CompressionSession(.small(codec)) { _ in }
        #expect(properties == session.supportedProperties)
        #expect((properties["H264EntropyMode"] != nil) == (codec == .h264))
        #expect(properties["AverageBitRate"]?.range == VideoEncoderConfiguration.bitrates.asNumbers)
    }

    @Test("devices are queried once")
    func cached() {
        let count = Locked(0)
        let backends = SharedBackends {
            count.withLock { $0 += 1 }
            return [SoftwareBackend()]
        }
        for _ in 0..<3 { _ = VideoHardware.encoders(of: backends) }
        #expect(count.withLock(\.self) == 1)
    }
}
