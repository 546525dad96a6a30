import Glibc
import Testing
import VTXConformance
import VTXMedia
import VTXSession
import VTXSystem

@testable import VTXSoftware

@Suite("x264, x265 and SVT-AV1 conform to the contract")
struct SoftwareEncoderTests {
    private let conformance = Conformance(SoftwareBackend(), device: SoftwareBackend.device)

    @Test("every frame, once, at its time", arguments: VideoCodec.allCases, EncoderPreset.allCases)
    func frames(codec: VideoCodec, preset: EncoderPreset) throws {
        try conformance.encodesEveryFrame(Conformance.configuration(codec) { $0.preset = preset })
    }

    @Test("decoded frames match the input", arguments: VideoCodec.allCases)
    func pictures(codec: VideoCodec) throws {
        try conformance.keepsPictures(Conformance.configuration(codec) { $0.rateControl = .quality(Quality(85)!) })
    }

    @Test("irregular times", arguments: VideoCodec.allCases)
    func times(codec: VideoCodec) throws { try conformance.keepsUnevenTimes(Conformance.configuration(codec)) }

    @Test("closed groups that begin with an IDR picture", arguments: VideoCodec.ofNALUnits, [1, 12])
    func groups(codec: VideoCodec, interval: Int) throws {
        try conformance.closesGroups(Conformance.configuration(codec) { $0.maxKeyFrameInterval = interval })
    }

    @Test("forced key frames", arguments: VideoCodec.ofNALUnits)
    func forced(codec: VideoCodec) throws { try conformance.forcesKeyFrames(Conformance.configuration(codec)) }

    @Test("no reordering if not allowed", arguments: VideoCodec.allCases)
    func order(codec: VideoCodec) throws { try conformance.ordersFrames(Conformance.configuration(codec)) }

    @Test("parameter sets where they belong", arguments: VideoCodec.ofNALUnits)
    func parameterSets(codec: VideoCodec) throws {
        try conformance.placesParameterSets(Conformance.configuration(codec))
    }

    @Test("profiles and depths", arguments: VideoProfile.allCases)
    func profiles(profile: VideoProfile) throws { try conformance.keepsProfile(profile) }

    @Test(
        "colors in the bitstream", arguments: VideoCodec.allCases,
        [
            ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false),
            ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false),
            ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true),
        ])
    func color(codec: VideoCodec, color: ColorDescription) throws { try conformance.writesColor(codec, color) }

    @Test("HDR10 in the bitstream", arguments: [VideoProfile.main10, .av1Main])
    func hdr10(profile: VideoProfile) throws { try conformance.writesHDR10(profile) }

    @Test("rates and qualities", arguments: VideoCodec.allCases)
    func rates(codec: VideoCodec) throws { try conformance.keepsRate(codec) }

    @Test(
        "the maximum of each second", arguments: VideoCodec.ofNALUnits,
        [
            RateControl.quality(.standard, max: 600_000), .bitrate(average: 300_000, max: 600_000),
            .bitrate(average: 600_000, max: 600_000),
        ])
    func maximum(codec: VideoCodec, rate: RateControl) throws { try conformance.keepsMaximum(codec, rate) { _ in } }

    @Test("input, output and end", arguments: VideoCodec.allCases)
    func states(codec: VideoCodec) throws { try conformance.followsProtocol(codec) }

    @Test("the remaining decoder buffer", arguments: VideoCodec.ofNALUnits)
    func buffer(codec: VideoCodec) throws { try conformance.continuesBuffer(codec) }

    @Test("no thread has a real-time priority, even for root", arguments: VideoCodec.allCases)
    func priorities(codec: VideoCodec) throws {
        let encoder = try conformance.makeEncoder(Conformance.configuration(codec))
        let policies = Directory.names(in: "/proc/self/task").compactMap(Int32.init).map(sched_getscheduler)
        withExtendedLifetime(encoder) { #expect(policies.allSatisfy { $0 != SCHED_FIFO && $0 != SCHED_RR }) }
    }

    @Test("unsupported configurations are refused at once")
    func refusals() throws { try conformance.refusesWhatItLacks() }

    @Test("reported capabilities are supported", arguments: SoftwareCapabilities.matrix.encoders)
    func capabilities(row: EncoderCapability) throws { try conformance.keepsCapabilities(row) }

    @Test("the only device, without hardware, encodes every profile")
    func probe() {
        let matrices = SoftwareBackend().probe()
        #expect(matrices.map(\.device) == [SoftwareBackend.device] && matrices.allSatisfy { !$0.isHardware })
        #expect(!SoftwareBackend().isHardware)
        #expect(Set(matrices[0].encoders.map(\.profile)) == Set(VideoProfile.allCases))
    }
}
