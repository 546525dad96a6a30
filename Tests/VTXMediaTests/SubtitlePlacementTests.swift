import Testing
import VTXMedia

@Suite("The place of bitmap subtitles")
struct SubtitlePlacementTests {
    private static let screen = PixelSize(1920, 1080)
    private static let words = PixelRegion(x: 560, y: 940, size: PixelSize(800, 80))

    private func placement(
        _ picture: PixelSize, shown: PixelRegion? = nil, aspect: Double = 1, isSquare: Bool = true
    ) -> SubtitlePlacement {
        SubtitlePlacement(
            picture: picture, shown: shown ?? PixelRegion(size: picture), aspectRatio: aspect,
            original: SubtitlePlacement.Canvas(size: picture, aspectRatio: aspect, isSquare: isSquare))
    }

    @Test("is unchanged if canvas and frame are equal")
    func same() {
        let region = placement(Self.screen).region(of: Self.words, on: Self.screen, in: Self.screen)
        #expect(region == Self.words)
    }

    @Test("scales with the picture")
    func scaled() {
        let region = placement(PixelSize(1280, 720)).region(of: Self.words, on: Self.screen, in: PixelSize(640, 360))
        #expect(region == PixelRegion(x: 187, y: 313, size: PixelSize(267, 27)))
    }

    @Test("without black bars is at the same relative height, and letters keep their shape")
    func cinema() {
        let picture = PixelSize(1920, 800)
        let region = placement(picture).region(of: Self.words, on: Self.screen, in: picture)
        #expect(region == PixelRegion(x: 560, y: 686, size: PixelSize(800, 80)))
    }

    @Test("moves into the kept part, away from its edge")
    func cropped() {
        let kept = PixelRegion(x: 0, y: 140, size: PixelSize(1920, 800))
        let region = placement(Self.screen, shown: kept).region(of: Self.words, on: Self.screen, in: kept.size)
        #expect(region == PixelRegion(x: 560, y: 704, size: PixelSize(800, 80)))
        let above = PixelRegion(x: 560, y: 20, size: PixelSize(800, 80))
        #expect(placement(Self.screen, shown: kept).region(of: above, on: Self.screen, in: kept.size).y == 16)
    }

    @Test("keeps the shape of letters on pictures that filters have changed")
    func filtered() {
        let placement = SubtitlePlacement(
            picture: PixelSize(960, 1080), shown: PixelRegion(size: PixelSize(960, 1080)), aspectRatio: 1,
            original: SubtitlePlacement.Canvas(size: Self.screen, aspectRatio: 1, isSquare: false))
        let region = placement.region(of: Self.words, on: Self.screen, in: PixelSize(960, 1080))
        #expect(region == PixelRegion(x: 280, y: 960, size: PixelSize(400, 40)))
    }

    @Test("is scaled into a part that is too small for it")
    func small() {
        let kept = PixelRegion(x: 760, y: 400, size: PixelSize(400, 300))
        let region = placement(Self.screen, shown: kept).region(of: Self.words, on: Self.screen, in: kept.size)
        #expect(region.size == PixelSize(400, 40) && region.lies(in: kept.size))
    }

    @Test("in a picture on its side, letters keep their shape")
    func transposed() {
        let (canvas, words) = (PixelSize(720, 576), PixelRegion(x: 200, y: 480, size: PixelSize(320, 40)))
        let picture = canvas.transposed
        // A sample of the DVD is 64:45, and on its side 45:64.
        let placement = SubtitlePlacement(
            picture: picture, shown: PixelRegion(size: picture), aspectRatio: 45 / 64,
            original: SubtitlePlacement.Canvas(size: canvas, aspectRatio: 64 / 45, isSquare: false))
        let region = placement.region(of: words, on: canvas, in: picture)
        #expect(region == PixelRegion(x: 160, y: 617, size: PixelSize(256, 16)))
        #expect(placement.region(of: words, on: PixelSize(0, 0), in: picture) == region)
    }

    @Test("has the video's sample aspect ratio on a DVD's canvas, square samples on a Blu-ray's")
    func anamorphic() {
        let (picture, words) = (PixelSize(720, 576), PixelRegion(x: 200, y: 480, size: PixelSize(320, 40)))
        let wide = placement(picture, aspect: 64 / 45, isSquare: false)
        #expect(wide.region(of: words, on: picture, in: picture) == words)
        #expect(wide.region(of: words, on: PixelSize(0, 0), in: picture) == words)
        let narrow = placement(PixelSize(1440, 1080), aspect: 4 / 3)
        let region = narrow.region(of: Self.words, on: Self.screen, in: PixelSize(1440, 1080))
        #expect(region == PixelRegion(x: 420, y: 940, size: PixelSize(600, 80)))
    }
}
