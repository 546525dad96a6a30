import Testing
import VTXLibVA
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("Rate control modes")
struct RateControlTests {
    private static func candidates(
        _ rate: RateControl, _ modes: RateControlModes, driver: String = "some driver",
        profile: VideoProfile = .high
    ) -> [RateControlChoice] {
        let configuration = EncoderConfiguration(
            codec: profile.codec, profile: profile, size: PixelSize(1920, 1080),
            pixelFormat: .planar(.yuv420, bitDepth: 8),
            timeBase: Rational(1, 30), frameRate: Rational(30, 1), rateControl: rate, maxKeyFrameInterval: 150)
        let row = DriverCapabilities.Row(
            profile: .h264High, entrypoint: .encSlice, attributes: [.rateControl: modes.rawValue])
        let answers = DriverCapabilities(
            apiVersion: APIVersion(major: 1, minor: 17), vendorString: driver, rows: [row])
        return RateControlChoice.candidates(for: configuration, row, DriverQuirks(answers))
    }

    private static let average = RateControl.bitrate(average: 5_000_000, max: nil)
    private static let every: RateControlModes = [.cbr, .vbr, .cqp, .icq, .qvbr]

    @Test("an average uses VBR first, and a constant quantizer last")
    func average() {
        #expect(Self.candidates(Self.average, Self.every).map(\.mode) == [.vbr, .qvbr, .cbr, .icq, .cqp])
    }

    @Test("i965 uses CBR first: its VBR starves frames")
    func i965() {
        let driver = "Intel i965 driver for Intel(R) Skylake - 2.4.1"
        #expect(
            Self.candidates(Self.average, Self.every, driver: driver).map(\.mode) == [.cbr, .vbr, .qvbr, .icq, .cqp])
    }

    @Test("a peak that equals the average is CBR")
    func constant() {
        let modes = Self.candidates(.bitrate(average: 5_000_000, max: 5_000_000), Self.every).map(\.mode)
        #expect(modes.first == .cbr)
    }

    @Test("only modes that the driver lists are tried")
    func listed() {
        #expect(Self.candidates(Self.average, [.cbr, .cqp]).map(\.mode) == [.cbr, .cqp])
    }

    @Test("a driver with only a constant quantizer uses it, with a notice")
    func quantizerOnly() throws {
        let only = Self.candidates(Self.average, .cqp)
        #expect(only.map(\.mode) == [.cqp])
        #expect(only.first?.compromise?.contains("only constant QP") == true)
        #expect((20...32).contains(try #require(only.first?.quality)))
    }

    @Test("a quality uses ICQ, then a quantizer, then an approximation")
    func quality() throws {
        let quality = RateControl.quality(try #require(Quality(70)))
        let found = Self.candidates(quality, Self.every)
        #expect(found.map(\.mode) == [.icq, .cqp, .qvbr, .vbr])
        #expect(found.first?.quality == 23 && found.first?.compromise == nil)
        #expect(found.last?.compromise != nil)
    }

    @Test("a quality with a limit uses QVBR, then a rate, then a quality with a notice about the limit")
    func limitedQuality() throws {
        let found = Self.candidates(.quality(.standard, max: 4_000_000), Self.every)
        #expect(found.map(\.mode) == [.qvbr, .vbr, .cbr, .icq, .cqp])
        #expect(found.first?.quality == 23 && found.first?.compromise == nil)
        #expect(found.prefix(3).allSatisfy { ($0.maxBitrate ?? .max) < 4_000_000 })
        #expect(found.suffix(2).allSatisfy { $0.compromise?.contains("no maximum rate") == true })
        let average = Self.candidates(.bitrate(average: 2_000_000, max: 4_000_000), Self.every)
        #expect(average.suffix(2).allSatisfy { $0.compromise?.contains("no maximum rate") == true })
    }

    @Test("AV1's constant quantizer is an index, four times SVT-AV1's CRF; ICQ and QVBR have HEVC's scale")
    func av1() throws {
        for (quality, index, factor) in [(70.0, 120, 26), (71, 117, 26), (100, 24, 14), (0, 255, 51)] {
            let rate = RateControl.quality(try #require(Quality(quality)))
            let found = Self.candidates(rate, Self.every, profile: .av1Main)
            #expect(found.map(\.mode) == [.icq, .cqp, .qvbr, .vbr])
            #expect(found.prefix(3).map(\.quality) == [factor, index, factor])
        }
        let only = Self.candidates(Self.average, .cqp, profile: .av1Main)
        #expect((100...200).contains(try #require(only.first?.quality)))
    }

    @Test("a driver that lists no mode is assumed to have a quantizer")
    func nothing() {
        #expect(Self.candidates(Self.average, []).map(\.mode) == [.cqp])
    }
}
