import Testing
import VTXMedia

@Suite("Parts of a picture")
struct PixelRegionTests {
    private typealias Orientation = DisplayMatrix.Orientation
    private static let whole = PixelSize(160, 96)
    private static let part = PixelRegion(x: 10, y: 20, size: PixelSize(30, 40))

    @Test("texts", arguments: ["1920x800+0+140", "2x4+6+8"])
    func texts(text: String) throws { #expect(try #require(PixelRegion(text)).description == text) }

    @Test("other texts are refused", arguments: ["", "auto", "2x2", "2x2+1", "2x2+1+-1", "0x2+0+0", "2x2+1+1+1"])
    func noRegions(text: String) { #expect(PixelRegion(text) == nil) }

    @Test("a rotation moves the region")
    func rotated() {
        let rotated = { Self.part.rotated(by: $0, in: Self.whole) }
        #expect(rotated(.rotated90) == PixelRegion(x: 36, y: 10, size: PixelSize(40, 30)))
        #expect(rotated(.rotated180) == PixelRegion(x: 120, y: 36, size: PixelSize(30, 40)))
        #expect(rotated(.rotated270) == PixelRegion(x: 20, y: 120, size: PixelSize(40, 30)))
        #expect(rotated(.mirrored) == PixelRegion(x: 120, y: 20, size: PixelSize(30, 40)))
    }

    @Test("two rotations combine into one", arguments: Orientation.allCases, Orientation.allCases)
    func followed(first: DisplayMatrix.Orientation, second: DisplayMatrix.Orientation) {
        let between = first.isTransposed ? Self.whole.transposed : Self.whole
        let steps = Self.part.rotated(by: first, in: Self.whole).rotated(by: second, in: between)
        #expect(steps == Self.part.rotated(by: first.followed(by: second), in: Self.whole))
    }

    @Test("the inverse restores the picture", arguments: Orientation.allCases)
    func inverse(orientation: DisplayMatrix.Orientation) {
        #expect(orientation.followed(by: orientation.inverse) == .upright)
    }

    @Test("in a picture of another size the region scales, within its bounds")
    func share() {
        let crop = PictureCrop(PixelRegion(x: 0, y: 140, size: PixelSize(1920, 800)), of: PixelSize(1920, 1080))
        #expect(crop.region(in: PixelSize(1920, 1080)) == crop.region)
        #expect(crop.region(in: PixelSize(1280, 720)) == PixelRegion(x: 0, y: 92, size: PixelSize(1280, 532)))
        #expect(crop.region(in: PixelSize(2, 1)) == PixelRegion(size: PixelSize(2, 1)))
    }
}
