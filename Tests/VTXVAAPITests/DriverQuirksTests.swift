import Testing
import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("Driver quirks")
struct DriverQuirksTests {
    private static let (iHD, i965, mesa) = (
        "Intel iHD driver for Intel(R) Gen Graphics - 23.1.1 ()", "Intel i965 driver for Intel(R) Skylake - 2.4.1",
        "Mesa Gallium driver 22.3.6 for AMD Radeon RX 6800 XT (navi21, LLVM 15.0.6, DRM 3.44)"
    )

    private func answers(_ driver: String, _ entrypoint: Entrypoint = .encSlice) -> DriverCapabilities {
        let row = DriverCapabilities.Row(
            profile: .hevcMain, entrypoint: entrypoint,
            attributes: [.rateControl: RateControlModes.cqp.rawValue, .encMaxRefFrames: 0x10003])
        let processor = DriverCapabilities.Row(profile: .none, entrypoint: .videoProc)
        return DriverCapabilities(
            apiVersion: APIVersion(major: 1, minor: 17), vendorString: driver, rows: [row, processor])
    }

    private func candidate(
        _ driver: String, _ entrypoint: Entrypoint = .encSlice,
        _ change: (inout EncoderConfiguration) -> Void = { _ in }
    ) throws -> (EncodingModeCandidate, EncoderConfiguration) {
        var configuration = EncoderConfiguration(
            codec: .hevc, profile: .hevcMain, size: PixelSize(1920, 1080), pixelFormat: .i420,
            timeBase: Rational(1, 30), frameRate: Rational(30, 1), rateControl: .bitrate(average: 5_000_000, max: nil),
            maxKeyFrameInterval: 150)
        change(&configuration)
        let candidates = answers(driver, entrypoint).candidates(for: configuration)
        return (try #require(candidates.first), configuration)
    }

    private func settings(
        _ driver: String, _ entrypoint: Entrypoint = .encSlice,
        _ change: (inout EncoderConfiguration) -> Void = { _ in }
    ) throws -> VideoEncoderSettings {
        let (candidate, configuration) = try candidate(driver, entrypoint, change)
        return VideoEncoderSettings(configuration, candidate, surfaces: nil)
    }

    @Test("presets are quality levels, or Mesa's bit field")
    func presets() {
        let levels = { (driver: String) in
            EncoderPreset.allCases.map { DriverQuirks(self.answers(driver)).qualityLevels.level(for: $0, of: 7) }
        }
        #expect(EncoderPreset.allCases == [.fast, .balanced, .quality])
        #expect(levels(Self.iHD) == [7, 4, 1] && levels("an unknown driver") == [7, 4, 1])
        // 0x13 is Mesa's example of the balanced preset with VBAQ; 1 is also balanced.
        #expect(levels(Self.mesa) == [0, 0x13, 0x1d])
    }

    @Test("Mesa's status of coded frames is not read: it is uninitialized memory")
    func status() {
        #expect(
            !DriverQuirks(answers(Self.mesa)).reportsCodedStatus && DriverQuirks(answers(Self.iHD)).reportsCodedStatus)
    }

    @Test("low-power HEVC has no B frames on iHD, unless requested")
    func bFrames() throws {
        #expect(try settings(Self.iHD, .encSliceLP).maxBFrames == 0)
        #expect(try settings(Self.iHD, .encSlice).maxBFrames == 2)
        #expect(try settings(Self.mesa, .encSliceLP).maxBFrames == 2)
        for (depth, count) in [1: 2, 2: 3, 3: 7] {
            let asked = try settings(Self.iHD, .encSliceLP) { $0.hardware.bFrameDepth = depth }
            #expect(asked.maxBFrames == count)
        }
        #expect(try settings(Self.iHD) { $0.allowsFrameReordering = false }.maxBFrames == 0)
    }

    @Test("four frames are in flight, one in real time, or a given number")
    func asyncDepth() throws {
        func depth(_ change: (inout EncoderConfiguration) -> Void = { _ in }) throws -> String? {
            try settings(Self.iHD, .encSlice, change).options.first { $0.0 == "async_depth" }?.1
        }
        #expect(
            try depth() == "4" && depth { $0.hardware.asyncDepth = 2 } == "2" && depth { $0.isRealTime = true } == "1")
    }

    @Test("either encoder can be requested", arguments: LowPowerPolicy.allCases)
    func lowPower(policy: LowPowerPolicy) throws {
        var both = answers(Self.iHD)
        both.rows += answers(Self.iHD, .encSliceLP).rows
        var (_, configuration) = try candidate(Self.iHD)
        configuration.hardware.lowPower = policy
        let found = both.candidates(for: configuration).map(\.row.entrypoint)
        let expected: [LowPowerPolicy: [Entrypoint]] = [
            .auto: [.encSlice, .encSliceLP], .on: [.encSliceLP], .off: [.encSlice],
        ]
        #expect(found == expected[policy])
    }
}
