import Testing
import VTXMedia

@Suite("The vocabulary of media")
struct VocabularyTests {
    @Test(
        "quality is 0...100",
        arguments: [(0.0, true), (100, true), (55.5, true), (-0.1, false), (100.1, false)])
    func qualityRange(value: Double, isValid: Bool) { #expect((Quality(value) != nil) == isValid) }

    @Test("NaN is no quality")
    func qualityNaN() { #expect(Quality(.nan) == nil) }

    @Test(
        "the table of quality is correct",
        arguments: [(100.0, 11.0, 14.0), (80, 19, 22), (70, 23, 26), (60, 27, 30), (0, 51, 51)])
    func rateFactors(value: Double, h264: Double, hevc: Double) throws {
        let quality = try #require(Quality(value))
        #expect(quality.rateFactor(for: .h264) == h264)
        #expect(quality.rateFactor(for: .hevc) == hevc)
    }

    @Test("higher quality never has a larger rate factor", arguments: VideoCodec.allCases)
    func qualityIsMonotonic(codec: VideoCodec) {
        let factors = (0...100).compactMap { Quality(Double($0))?.rateFactor(for: codec) }
        #expect(factors.count == 101)
        #expect(zip(factors, factors.dropFirst()).allSatisfy { $0.0 >= $0.1 })
        #expect(factors.allSatisfy { (0...63).contains($0) })
    }

    @Test(
        "a file's extension selects its container, case-insensitively",
        arguments: [
            ("mp4", Container.mp4), ("M4V", .mp4), ("mov", .mov), ("qt", .mov), ("MKV", .mkv), ("ts", .ts),
            ("m2ts", .ts), ("mts", .ts), ("webm", .webm), ("264", .h264), ("avc", .h264), ("hevc", .h265),
            ("h265", .h265),
        ])
    func containers(pathExtension: String, container: Container) {
        #expect(Container(fileExtension: pathExtension) == container)
    }

    @Test("other extensions select none", arguments: ["", "avi", "ogg", "txt", "mp4 ", "mp"])
    func noContainer(pathExtension: String) { #expect(Container(fileExtension: pathExtension) == nil) }

    @Test("an elementary stream holds one codec, a container any")
    func elementary() {
        #expect(Container.allCases.filter(\.isElementaryStream) == [.h264, .h265])
        #expect(
            Container.h264.onlyCodec == .h264 && Container.h265.onlyCodec == .hevc
                && Container.mp4.onlyCodec == nil)
    }

    @Test(
        "sizes are read as width x height",
        arguments: [("1280x720", PixelSize(1280, 720)), ("2X4", PixelSize(2, 4))])
    func sizes(text: String, size: PixelSize) { #expect(PixelSize(text) == size) }

    @Test(
        "nothing else is a size",
        arguments: ["", "1280", "x", "1280x", "0x10", "-2x4", "1x2x3", "1280:720", "a x b"])
    func noSizes(text: String) { #expect(PixelSize(text) == nil) }

    @Test(
        "an odd side loses one, down to two",
        arguments: [(1, 2), (2, 2), (3, 2), (161, 160), (96, 96)])
    func even(side: Int, expected: Int) {
        #expect(PixelSize(side, 10).roundedDownToEven == PixelSize(expected, 10))
        #expect(PixelSize(10, side).roundedDownToEven == PixelSize(10, expected))
    }

    @Test("a profile is found by its name within its codec", arguments: VideoProfile.allCases)
    func profiles(profile: VideoProfile) {
        #expect(VideoProfile(named: profile.name, codec: profile.codec) == profile)
    }

    @Test("'main' is each codec's own profile, and other codecs' names are refused")
    func mainProfile() {
        #expect(VideoProfile(named: "main", codec: .h264) == .h264Main)
        #expect(VideoProfile(named: "main", codec: .hevc) == .hevcMain)
        #expect(VideoProfile(named: "main10", codec: .h264) == nil)
        #expect(VideoProfile(named: "high", codec: .hevc) == nil)
    }

    @Test("only unspecified colors are filled in")
    func colors() {
        let known = ColorDescription(primaries: 9, isFullRange: true)
        let other = ColorDescription(
            primaries: 1, transfer: 1, matrix: 6, isFullRange: false, chromaLocation: 0)
        let filled = known.filled(from: other)
        #expect(
            filled
                == ColorDescription(
                    primaries: 9, transfer: 1, matrix: 6, isFullRange: true, chromaLocation: 0))
        #expect(other.filled(from: known) == other)
    }

    @Test("PQ and HLG are HDR", arguments: [(16, true), (18, true), (1, false), (2, false), (14, false)])
    func hdr(transfer: Int, isHDR: Bool) { #expect(ColorDescription(transfer: transfer).isHDR == isHDR) }
}
