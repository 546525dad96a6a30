import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("User filters")
struct FilterTrialTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 10, audio: nil) }

    private func video(_ filters: String, _ change: (inout TranscodeRequest) -> Void = { _ in }) throws -> VideoPlan {
        try clip.plan {
            $0.filters = filters
            change(&$0)
        }.plan.video
    }

    @Test("filters that change only the content keep size, format, rate and times")
    func unchanged() throws {
        let (plain, filtered) = (try clip.plan().plan.video, try video("hue=s=0"))
        #expect(filtered.encoder == plain.encoder && filtered.filter.custom?.text == "hue=s=0")
        #expect(filtered.expectedFrames == plain.expectedFrames)
    }

    @Test("the output has their size and aspect ratio, from which a requested size scales")
    func size() throws {
        let video = try video("scale=80:40,setsar=2")
        #expect(video.encoder.size == PixelSize(80, 40) && video.encoder.sampleAspectRatio == Rational(2, 1))
        #expect(try self.video("scale=80:40") { $0.size = SizeRequest("40x") }.encoder.size == PixelSize(40, 20))
    }

    @Test("the output has their rate, in a sufficient time base")
    func rate() throws {
        let video = try video("fps=60")
        #expect(video.encoder.frameRate == Rational(60, 1) && video.encoder.timeBase == Rational(1, 60))
        #expect(video.expectedFrames == 24)
    }

    @Test("deinterlacing by them is no loss")
    func fields() throws {
        let clip = try SourceClip(frames: 10, audio: nil) {
            $0.filters = "setfield=tff"
            $0.options.append(("flags", "+ildct"))
        }
        let plan = { (filters: String?) in
            try clip.plan { ($0.deinterlace, $0.filters) = (.off, filters) }.plan
        }
        let fields = try plan("bwdif=mode=send_field")
        #expect(fields.video.encoder.frameRate == Rational(50, 1) && !fields.video.encoder.isInterlaced)
        #expect(!fields.notices.contains { $0.kind == .downgradeInterlacing })
    }

    @Test("more bits select a profile that supports them, and their colors are used")
    func samples() throws {
        let deep = try video("format=yuv420p10le") { $0.codec = .hevc }
        #expect(deep.encoder.profile == .main10)
        let color = try video("setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc").encoder.color
        #expect(color.isPQ && color.primaries == 9 && color.matrix == 9)
        #expect(try video("scale=96:64:out_color_matrix=bt709").encoder.color.matrix == 1)
    }

    @Test("they get the cropped frame as displayed")
    func turned() throws {
        let path = clip.directory.file("in.mp4")
        let recipe = VideoRecipe {
            $0.displayMatrix = .turning(.rotated90)
            $0.frameCount = 5
        }
        try MovieRecipe(recipe).write(to: path)
        var request = TranscodeRequest(input: path, output: clip.directory.file("out.mp4"))
        (request.filters, request.crop) = ("hue=s=0", .region(PixelRegion(size: PixelSize(48, 80))))
        let plan = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan
        #expect(plan.video.encoder.size == PixelSize(48, 80) && plan.video.displayMatrix == nil)
        #expect(plan.video.filter.orientation == .rotated90)
        #expect(plan.notices.contains { $0.kind == .conversionRotation })
    }

    @Test(
        "an invalid graph is refused with libavfilter's message",
        arguments: [("nosuchfilter", "No such filter"), ("scale=w=", "scale"), ("crop=9999:9999", "9999")])
    func refused(filters: String, words: String) throws {
        let refusal = clip.refusal { $0.filters = filters }
        #expect(refusal?.kind == .filter && refusal?.message.contains(words) == true)
    }

    @Test(
        "filters that drop the first frames are accepted, with the format that libavfilter knows",
        arguments: ["trim=start=5", "select='gt(n\\,100)'", "fps=1/10"])
    func late(filters: String) throws {
        let video = try video("\(filters),scale=80:40,setsar=2,format=yuv422p")
        #expect(video.encoder.size == PixelSize(80, 40) && video.encoder.sampleAspectRatio == Rational(2, 1))
        #expect(video.filter.custom?.output.pixelFormat.name == "yuv422p")
    }

    @Test("software runs them, without segments")
    func places() throws {
        let prepared = try clip.plan { ($0.filters, $0.parallelism) = ("hue=s=0", .count(4)) }
        #expect(prepared.plan.video.parallelism == 1)
        let processing = FilterCapability.VideoProcessing(
            pixelFormats: [.i420], deinterlaces: true, orientations: [.upright], maxSize: PixelSize(4096, 4096))
        let obstacle = FilterCapability.some(processing).obstacle(
            to: prepared.plan.video.filter, from: prepared.source.sample.shape)
        #expect(obstacle?.contains("software") == true)
    }
}
