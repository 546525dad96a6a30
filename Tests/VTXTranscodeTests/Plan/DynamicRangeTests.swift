import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("HDR, kept or converted to SDR")
struct DynamicRangeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func plan(
        _ recipe: VideoRecipe = .hdr10, _ change: (inout TranscodeRequest) -> Void
    ) throws -> TranscodePlan {
        let path = directory.file("in.mkv")
        try MovieRecipe(recipe).write(to: path)
        var request = TranscodeRequest(input: path, output: directory.file("out.mkv"))
        request.codec = .hevc
        change(&request)
        return try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan
    }

    private func decision(_ plan: TranscodePlan) -> Decision? {
        plan.decisions.first { $0.subject == "dynamic range" }
    }

    @Test("HDR is kept by default, and the plan has the reason")
    func kept() throws {
        let plan = try plan { _ in }
        #expect(plan.video.filter.toneMapping == nil && plan.video.encoder.color.isPQ)
        #expect(decision(plan)?.choice == "HDR10 (PQ), kept")
        #expect(decision(plan)?.reason.contains("dynamicRange=sdr") == true)
    }

    @Test("requested SDR has eight bits, BT.709 and no HDR metadata, and is no downgrade")
    func mapped() throws {
        let plan = try plan {
            $0.dynamicRange = .sdr
            $0.forbidsDowngrades = true
        }
        let video = plan.video
        #expect(video.encoder.profile == .hevcMain && video.encoder.pixelFormat.bitDepth == 8)
        #expect(video.filter.pixelFormat == video.encoder.pixelFormat && video.filter.color == video.encoder.color)
        #expect(video.encoder.color.withoutLocation == .bt709)
        #expect(video.encoder.hdrMetadata.isEmpty && video.filter.toneMapping?.peakLuminance == 1000)
        let notice = try #require(plan.notices.first { $0.code == "conversion.hdr" })
        #expect(notice.message.contains("mastering display") && notice.message.contains("light level"))
    }

    @Test("a requested ten-bit profile is used", arguments: [VideoProfile.main10, .high10])
    func tenBits(profile: VideoProfile) throws {
        let plan = try plan {
            ($0.dynamicRange, $0.profile, $0.codec) = (.sdr, profile, profile.codec)
        }
        #expect(plan.video.encoder.pixelFormat.bitDepth == 10 && plan.video.encoder.color.primaries == 1)
    }

    @Test("SDR is unchanged, with a notice")
    func already() throws {
        let plan = try plan(VideoRecipe { $0.frameCount = 5 }) { $0.dynamicRange = .sdr }
        #expect(plan.video.filter.toneMapping == nil && plan.notices.isEmpty)
        #expect(decision(plan)?.choice == "unchanged")
        #expect(decision(try self.plan(VideoRecipe { $0.frameCount = 5 }) { _ in }) == nil)
    }

    @Test("HDR in eight bits is a downgrade with a hint")
    func eightBits() throws {
        let plan = try plan { $0.codec = .h264 }
        let notice = try #require(plan.notices.first { $0.code == "downgrade.bitDepth" })
        #expect(notice.message.contains("dynamicRange=sdr") && plan.video.encoder.color.isPQ)
    }

    @Test("invalid metadata is dropped with a warning; it is no downgrade")
    func meaningless() throws {
        let plan = try plan(VideoRecipe { ($0.hdrMetadata, $0.frameCount) = (.impossible, 5) }) {
            $0.forbidsDowngrades = true
        }
        #expect(plan.video.encoder.hdrMetadata.masteringDisplay == nil)
        #expect(plan.video.encoder.hdrMetadata.contentLightLevel == HDRMetadata.sample.contentLightLevel)
        #expect(plan.notices.map(\.code) == ["source.hdrMetadata"])
        #expect(plan.notices.allSatisfy { $0.category == .warning && $0.message.contains("mastering display") })
    }

    @Test(
        "metadata that the encoder does not write is lost if the container does not support it",
        arguments: [Container.mkv, .mov, .ts, .h265], [true, false])
    func unwritten(container: Container, isInPictures: Bool) throws {
        let path = directory.file("in.mkv")
        try MovieRecipe(isInPictures ? .hdr10 : VideoRecipe { $0.hdrMetadata = .sample }).write(to: path)
        let request = TranscodeRequest(input: path, output: directory.file("out.mkv"))
        let source = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().source
        let encoder = EncoderCapability(
            codec: .hevc, profile: .main10, minSize: PixelSize(16, 16), maxSize: PixelSize(4096, 4096),
            keepsCaptions: true, keepsHDRMetadata: false)
        var notes = PlanNotes()
        let range = DynamicRangeChoice(color: .unspecified, metadata: source.video.hdrMetadata)
        encoder.noteLosses(of: source, range, container, &notes)
        let message = try #require(notes.notices.first { $0.code == "downgrade.hdrMetadata" }?.message)
        #expect(message.contains([.ts, .h265].contains(container) ? "is lost" : "container only"))
    }
}

extension HDRMetadata {
    /// Blue is outside the chromaticity diagram.
    fileprivate static var impossible: HDRMetadata {
        var metadata = sample
        metadata.masteringDisplay?.blue.x = 50_001
        return metadata
    }
}

extension ColorDescription {
    fileprivate var withoutLocation: ColorDescription {
        var color = self
        color.chromaLocation = nil
        return color
    }
}
