import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Cropping")
struct CropTests {
    private static let whole = PixelSize(160, 96)

    /// A frame with black bars.
    private func clip(
        _ picture: PixelRegion, frames: Int = 10, _ change: (inout VideoRecipe) -> Void = { _ in }
    ) throws -> SourceClip {
        try SourceClip(frames: frames, audio: nil) {
            $0.picture = "color=c=black"
            $0.filters = Self.box(picture)
            $0.options.append(("crf", "10"))
            change(&$0)
        }
    }

    private static func box(_ region: PixelRegion, when: String = "1") -> String {
        "drawbox=\(region.x):\(region.y):\(region.size.width):\(region.size.height):gray:fill:enable='\(when)'"
    }

    private func crop(_ clip: SourceClip, _ request: CropRequest = .auto) throws -> (PixelRegion?, Message?) {
        let plan = try clip.plan { $0.crop = request }.plan
        let region = plan.video.filter.crop?.region
        #expect(plan.video.encoder.size == (region?.size ?? Self.whole))
        return (region, plan.decisions.first { $0.subject == "crop" }?.reason)
    }

    @Test("black bars are cropped, and the plan has the number of examined frames")
    func bars() throws {
        let picture = PixelRegion(x: 20, y: 12, size: PixelSize(120, 72))
        let (found, reason) = try crop(try clip(picture))
        #expect(found == picture && reason == "the rest is black in all 10 frames")
    }

    @Test("a cropped bar leaves nothing if it ends in the middle of a chroma sample")
    func oddBars() throws {
        let (found, _) = try crop(try clip(PixelRegion(x: 21, y: 11, size: PixelSize(119, 74))))
        #expect(found == PixelRegion(x: 22, y: 12, size: PixelSize(118, 72)))
    }

    @Test("a few black pixels are kept, on each side separately")
    func fewPixels() throws {
        #expect(try crop(try clip(PixelRegion(x: 2, y: 3, size: PixelSize(155, 91)))).0 == nil)
        let (found, _) = try crop(try clip(PixelRegion(x: 2, y: 12, size: PixelSize(158, 72))))
        #expect(found == PixelRegion(x: 0, y: 12, size: PixelSize(160, 72)))
    }

    @Test("content of a single frame is kept, and dark frames crop nothing")
    func darkFrames() throws {
        let picture = PixelRegion(x: 40, y: 24, size: PixelSize(80, 48))
        let clip = try clip(picture, frames: 30) {
            $0.filters = Self.box(PixelRegion(x: 60, y: 36, size: PixelSize(40, 24)), when: "lt(n,20)")
            $0.filters += "," + Self.box(picture, when: "eq(n,25)")
        }
        #expect(try crop(clip).0 == picture)
    }

    @Test("a black or nearly black source is not cropped", arguments: [0, 20])
    func black(side: Int) throws {
        let (found, reason) = try crop(try clip(PixelRegion(x: 60, y: 40, size: PixelSize(max(1, side), max(1, side)))))
        #expect(found == nil && reason?.contains(side == 0 ? "everything is black" : "too small for a picture") == true)
    }

    @Test("in a long video, frames after key frames over its whole length are examined")
    func places() throws {
        let picture = PixelRegion(x: 20, y: 12, size: PixelSize(120, 72))
        let clip = try clip(PixelRegion(x: 40, y: 24, size: PixelSize(80, 48)), frames: 200) {
            $0.filters += "," + Self.box(picture, when: "gt(n,150)")
            $0.keyFrameInterval = 10
        }
        let backend = FakeBackend()
        let source = try SourceInspector.open(clip.path, videoPosition: 0)
        let request = TranscodeRequest(input: clip.path)
        let limits = BlackBarSearch.Limits(pixels: 40 * Self.whole.width * Self.whole.height)
        let bars = try BlackBarSearch.find(
            request, source, try TranscodeDevices([backend]).software(), limits: limits)
        #expect(bars.picture == picture && bars.places == 20 && bars.frames == 20)
        var few = limits
        few.leastPlaces = 21
        let all = try BlackBarSearch.find(request, source, try TranscodeDevices([backend]).software(), limits: few)
        #expect(all.picture == picture && all.places == nil && all.frames == 200)
    }

    @Test("only the transcoded part of the source is examined")
    func range() throws {
        let late = PixelRegion(x: 40, y: 24, size: PixelSize(80, 48))
        let clip = try clip(late, frames: 75) {
            $0.filters += "," + Self.box(PixelRegion(size: Self.whole), when: "lt(n,25)")
        }
        #expect(try crop(clip).0 == nil)
        let plan = try clip.plan {
            ($0.crop, $0.start) = (.auto, 1.5)
        }.plan
        #expect(plan.video.filter.crop?.region == late)
    }

    @Test("a requested crop is in coordinates of the displayed frame")
    func shown() throws {
        let clip = try SourceClip(frames: 5, audio: nil)
        let turned = clip.directory.file("in.mp4")
        let recipe = VideoRecipe {
            $0.displayMatrix = .turning(.rotated90)
            $0.frameCount = 5
        }
        try MovieRecipe(recipe).write(to: turned)
        var request = TranscodeRequest(input: turned, output: clip.directory.file("out.mp4"))
        request.crop = .region(PixelRegion(x: 0, y: 0, size: PixelSize(48, 80)))
        let plan = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan
        // The displayed upper left part is the stored lower left one.
        #expect(plan.video.filter.crop?.region == PixelRegion(x: 0, y: 48, size: PixelSize(80, 48)))
        #expect(plan.video.encoder.size == PixelSize(80, 48) && plan.video.displayMatrix?.orientation == .rotated90)
        #expect(plan.decisions.first { $0.subject == "crop" }?.choice == "48x80+0+0")
    }

    @Test("a crop outside the frame is refused")
    func outside() throws {
        let clip = try clip(PixelRegion(size: Self.whole))
        let refusal = clip.refusal { $0.crop = .region(PixelRegion(x: 100, y: 0, size: PixelSize(80, 96))) }
        #expect(refusal?.kind == .crop && refusal?.message.contains("160x96") == true)
    }

    @Test("odd offsets become even, with a notice")
    func oddPlaces() throws {
        let clip = try clip(PixelRegion(size: Self.whole))
        let plan = try clip.plan { $0.crop = .region(PixelRegion(x: 11, y: 13, size: PixelSize(81, 51))) }.plan
        #expect(plan.video.filter.crop?.region == PixelRegion(x: 10, y: 12, size: PixelSize(80, 50)))
        #expect(plan.notices.contains { $0.kind == .downgradeSize })
    }

    @Test("interlaced frames are cropped at rows with chroma in both fields")
    func interlaced() throws {
        let clip = try clip(PixelRegion(x: 0, y: 10, size: PixelSize(160, 70))) {
            $0.filters += ",setfield=tff"
            $0.options.append(("flags", "+ildct"))
        }
        let kept = { (policy: DeinterlacePolicy) in
            try clip.plan { ($0.crop, $0.deinterlace) = (.auto, policy) }.plan.video.filter.crop?.region
        }
        #expect(try kept(.auto) == PixelRegion(x: 0, y: 10, size: PixelSize(160, 70)))
        #expect(try kept(.off) == PixelRegion(x: 0, y: 12, size: PixelSize(160, 68)))
    }
}
