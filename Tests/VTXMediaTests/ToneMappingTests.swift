import Testing
import VTXMedia

@Suite("HDR into SDR")
struct ToneMappingTests {
    private static let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    private static let hlg = ColorDescription(primaries: 9, transfer: 18, matrix: 9)

    private static func metadata(display: Int?, content: Int?) -> HDRMetadata {
        let point = MasteringDisplay.Chromaticity(15635, 16450)
        return HDRMetadata(
            masteringDisplay: display.map {
                MasteringDisplay(
                    red: point, green: point, blue: point, white: point, minLuminance: 1, maxLuminance: $0 * 10_000)
            },
            contentLightLevel: content.map { ContentLightLevel(maxContent: $0, maxFrameAverage: 200) })
    }

    @Test(
        "the peak is the content's, else the display's; invalid values are ignored",
        arguments: [
            (4000, 1500, 1500), (4000, nil, 4000), (4000, 0, 4000), (nil, 700, 700), (nil, nil, 1000), (0, 0, 1000),
            (50, 65535, 1000), (10_000, 20_000, 10_000),
        ] as [(Int?, Int?, Int)])
    func peak(display: Int?, content: Int?, expected: Int) {
        let mapping = ToneMapping(source: Self.pq, metadata: Self.metadata(display: display, content: content))
        #expect(mapping.peakLuminance == expected)
        #expect(mapping.display.maxLuminance == (display.flatMap { $0 < 100 ? nil : $0 } ?? expected) * 10_000)
        #expect(mapping.lightLevel.maxFrameAverage <= expected)
    }

    @Test("HLG has the peak of its nominal display")
    func hlg() {
        let mapping = ToneMapping(source: Self.hlg, metadata: Self.metadata(display: 4000, content: 4000))
        #expect(mapping.peakLuminance == 1000)
    }

    @Test("a frame's metadata overrides the container's, which overrides the default")
    func meaning() {
        let mapping = ToneMapping(source: ColorDescription(transfer: 16), metadata: HDRMetadata())
        #expect(mapping.meaning(of: .unspecified) == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
        #expect(!mapping.meaning(of: .bt709).isHDR && mapping.meaning(of: Self.hlg).isHLG)
    }
}
