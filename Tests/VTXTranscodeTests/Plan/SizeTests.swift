import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("The requested size")
struct SizeTests {
    @Test(
        "both sides, or one of them",
        arguments: [
            ("1280x720", SizeRequest(1280, 720)), ("1280x", SizeRequest(width: 1280, height: nil)),
            ("X720", SizeRequest(width: nil, height: 720)),
        ])
    func texts(text: String, size: SizeRequest) {
        #expect(SizeRequest(text) == size && "\(size)" == text.lowercased())
    }

    @Test("anything else is no size", arguments: ["x", "", "1280", "0x", "x0", "1280x720x", "-2x720", "axb"])
    func noSizes(text: String) { #expect(SizeRequest(text) == nil) }

    private static let wide = PixelSize(1920, 1080)

    @Test(
        "the other side keeps the aspect ratio, and is even",
        arguments: [
            (SizeRequest("1280x"), wide, Rational(1, 1), PixelSize(1280, 720)),
            (SizeRequest("x720"), wide, Rational(1, 1), PixelSize(1280, 720)),
            (SizeRequest("x480"), wide, Rational(1, 1), PixelSize(854, 480)),
            (SizeRequest("x540"), PixelSize(720, 576), Rational(64, 45), PixelSize(960, 540)),
            (SizeRequest("100x"), PixelSize(1000, 8), Rational(0, 1), PixelSize(100, 2)),
            (SizeRequest("1281x"), wide, Rational(1, 1), PixelSize(1281, 720)),
            (SizeRequest("100x100"), wide, Rational(1, 1), PixelSize(100, 100)),
        ])
    func sides(request: SizeRequest?, source: PixelSize, aspect: Rational, wanted: PixelSize) throws {
        #expect(try #require(request).size(for: source, aspectRatio: aspect) == wanted)
    }

    @Test(
        "a limit scales down, never up",
        arguments: [
            ("1280x720", wide, Rational(1, 1), PixelSize(1280, 720)),
            ("1280x1280", PixelSize(1080, 1920), Rational(1, 1), PixelSize(720, 1280)),
            ("1920x1080", wide, Rational(1, 1), nil), ("4096x", wide, Rational(1, 1), nil),
            ("x481", PixelSize(1000, 500), Rational(1, 1), PixelSize(962, 480)),
            ("800x", PixelSize(720, 576), Rational(64, 45), PixelSize(800, 450)),
            ("600x600", PixelSize(720, 480), Rational(8, 9), PixelSize(600, 450)),
        ] as [(String, PixelSize, Rational, PixelSize?)])
    func limits(text: String, source: PixelSize, aspect: Rational, wanted: PixelSize?) throws {
        let request = try #require(SizeRequest(text, isLimit: true))
        #expect(request.size(for: source, aspectRatio: aspect) == wanted)
    }

    @Test("a limit applies to the displayed, rotated frame")
    func turned() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("in.mp4")
        try MovieRecipe(VideoRecipe { $0.displayMatrix = .turning(.rotated90) }).write(to: path)
        var request = TranscodeRequest(input: path, output: directory.file("out.mp4"))
        request.size = SizeRequest("x80", isLimit: true)
        let plan = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan
        // 160x96 is displayed as 96x160, and fits as 48x80.
        #expect(plan.video.encoder.size == PixelSize(80, 48))
        request.size = SizeRequest("96x160", isLimit: true)
        let kept = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan
        #expect(kept.video.encoder.size == PixelSize(160, 96))
        #expect(kept.decisions.first { $0.subject == "size" }?.reason == "the source's; it is within 96x160")
    }

    @Test("a size from one side has no bars")
    func decision() throws {
        let plan = try SourceClip(frames: 2).plan { $0.size = SizeRequest("x48") }.plan
        let size = try #require(plan.decisions.first { $0.subject == "size" })
        #expect(size.choice == "80x48" && size.reason == "x48 was requested; the aspect ratio is kept")
    }
}
