import Testing
import VTXMedia
import VTXSession

@Suite("Device candidates")
struct DeviceCandidateTests {
    private struct Backend: VideoBackend {
        var isHardware: Bool
        var matrices: [CapabilityMatrix]

        func probe() -> [CapabilityMatrix] { matrices }

        func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
            throw SessionError(.notAvailableNow, "a fake")
        }
    }

    private static func matrix(
        _ name: String, isHardware: Bool = true, load: Int = 0, _ profiles: [VideoProfile] = [.high]
    ) -> CapabilityMatrix {
        CapabilityMatrix(
            device: DeviceID(name), deviceName: name, isHardware: isHardware, selectors: [.path(name)], load: load,
            encoders: profiles.map {
                EncoderCapability(
                    codec: $0.codec, profile: $0, minSize: PixelSize(16, 16), maxSize: PixelSize(64, 64),
                    keepsCaptions: false)
            })
    }

    private func names(_ offers: [DeviceCandidate]) -> [String] { offers.map(\.matrix.deviceName) }

    @Test("hardware first, the least busy first, then in the backends' order")
    func ranked() {
        let software = Backend(isHardware: false, matrices: [Self.matrix("cpu", isHardware: false)])
        let gpus = Backend(
            isHardware: true,
            matrices: [Self.matrix("a", load: 2), Self.matrix("b", load: 1), Self.matrix("c", load: 1)])
        let offers = DeviceCandidate.all(from: [software, gpus], allowsHardware: true)
        #expect(names(offers.ranked) == ["b", "c", "a", "cpu"])
        #expect(names(offers.selected(by: .path("a")).ranked) == ["a", "cpu"])
        #expect(names(offers.selected(by: .auto)) == ["cpu", "a", "b", "c"])
        #expect(names(DeviceCandidate.all(from: [gpus, software], allowsHardware: false)) == ["cpu"])
    }

    @Test("HEVC if hardware supports it, else H.264")
    func codec() {
        let software = Backend(
            isHardware: false, matrices: [Self.matrix("cpu", isHardware: false, [.high, .hevcMain])])
        let old = Backend(isHardware: true, matrices: [Self.matrix("old")])
        let new = Backend(isHardware: true, matrices: [Self.matrix("new", [.high, .hevcMain])])
        #expect(DeviceCandidate.all(from: [software], allowsHardware: true).defaultCodec == .h264)
        #expect(DeviceCandidate.all(from: [old, software], allowsHardware: true).defaultCodec == .h264)
        #expect(DeviceCandidate.all(from: [old, new, software], allowsHardware: true).defaultCodec == .hevc)
    }
}
