import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("AV1's open bitstream units")
struct OpenBitstreamUnitTests {
    private static let deep = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)

    private static let streams: [VideoRecipe] = [
        VideoRecipe { ($0.encoder, $0.options) = ("libsvtav1", [("preset", "10")]) },
        VideoRecipe {
            ($0.encoder, $0.pixelFormat, $0.color) = ("libsvtav1", "yuv420p10le", deep)
            $0.options = [("preset", "10")]
        },
        VideoRecipe {
            ($0.encoder, $0.color) = ("libaom-av1", ColorDescription(primaries: 1, transfer: 13, matrix: 0))
            ($0.pixelFormat, $0.options) = ("gbrp", [("usage", "realtime"), ("cpu-used", "8")])
        },
        VideoRecipe {
            ($0.encoder, $0.pixelFormat) = ("libaom-av1", "yuv422p12le")
            $0.options = [("cpu-used", "8")]
        },
        VideoRecipe {
            ($0.encoder, $0.pixelFormat) = ("libaom-av1", "gray")
            $0.options = [("cpu-used", "8"), ("aom-params", "error-resilient=1")]
        },
    ]

    private static func packets(_ recipe: VideoRecipe) throws -> [[UInt8]] {
        var short = recipe
        short.frameCount = 4
        return try short.encode(globalHeader: true).packets.map { Array($0.bytes) }
    }

    /// Spans cannot go into a macro.
    private static func units(in bytes: [UInt8]) throws -> [OpenBitstreamUnit] {
        try OpenBitstreamUnit.units(in: bytes.span.bytes)
    }

    private static func header(in packet: [UInt8]) throws -> (unit: [UInt8], header: AV1SequenceHeader) {
        let unit = try #require(try units(in: packet).first { $0.type == .sequenceHeader })
        return (Array(packet[unit.range]), try AV1SequenceHeader(packet.span.bytes.extracting(unit.payload)))
    }

    @Test(arguments: streams) func `a sequence header is written as it was read`(recipe: VideoRecipe) throws {
        let (unit, header) = try Self.header(in: try #require(try Self.packets(recipe).first))
        #expect(header.unit == unit)
        #expect(header.maxFrameSize == recipe.size)
        let format = try #require(PixelFormat(named: recipe.pixelFormat))
        #expect(header.colorConfig.bitDepth == format.bitDepth)
        #expect(header.colorConfig.chroma == (format.isRGB ? .yuv444 : format.chroma))
        let color = header.colorConfig.color
        #expect([color.primaries, color.transfer] == [recipe.color.primaries, recipe.color.transfer])
    }

    @Test(arguments: streams) func `the units fill their packet, and the first one has the key frame`(
        recipe: VideoRecipe
    )
        throws
    {
        for (number, packet) in try Self.packets(recipe).enumerated() {
            let units = try Self.units(in: packet)
            #expect(units.reduce(0) { $0 + $1.range.count } == packet.count)
            #expect(units.map { Int($0.type.rawValue) } == OBUs.types(packet))
            let frame = try #require(units.first { $0.type.hasFrameHeader })
            let start = try AV1FrameStart(packet.span.bytes.extracting(frame.payload))
            #expect(start.isShownKeyFrame == (number == 0))
        }
    }

    @Test func `colors that are missing are written, and the rest stays`() throws {
        let (_, header) = try Self.header(in: try #require(try Self.packets(Self.streams[0]).first))
        var wanted = Self.deep
        wanted.chromaLocation = 2
        var changed = header
        changed.colorConfig = try header.colorConfig.completed(by: wanted)
        let (unit, again) = try Self.header(in: changed.unit)
        #expect(unit == changed.unit && again == changed)
        #expect(again.colorConfig.color == Self.deep && again.colorConfig.chromaSamplePosition == 2)
        // Three bytes of colors.
        #expect(again.unit.count == header.unit.count + 3)
        #expect(try header.colorConfig.completed(by: .unspecified) == header.colorConfig)
    }

    @Test func `RGB is refused where chroma is subsampled`() throws {
        let (_, header) = try Self.header(in: try #require(try Self.packets(Self.streams[0]).first))
        let wanted = ColorDescription(primaries: 1, transfer: 13, matrix: 0)
        #expect(throws: CompletionError.self) { try header.colorConfig.completed(by: wanted) }
    }

    /// Computed by hand from AV1 5.8.3 and 5.8.4.
    @Test func `HDR10's metadata has AV1's steps`() {
        let display = MasteringDisplay(
            red: .init(34_000, 16_000), green: .init(13_250, 34_500), blue: .init(7_500, 3_000),
            white: .init(15_635, 16_450), minLuminance: 50, maxLuminance: 10_000_000)
        let metadata = HDRMetadata(
            masteringDisplay: display, contentLightLevel: ContentLightLevel(maxContent: 1000, maxFrameAverage: 400))
        let units = AV1Metadata.all(of: metadata).map(\.unit)
        #expect(
            units == [
                [
                    0x2a, 26, 2, 0xae, 0x14, 0x51, 0xec, 0x43, 0xd7, 0xb0, 0xa4, 0x26, 0x66, 0x0f, 0x5c, 0x50, 0x0d,
                    0x54, 0x39, 0, 3, 0xe8, 0, 0, 0, 0, 0x52, 0x80,
                ],
                [0x2a, 6, 1, 3, 0xe8, 1, 0x90, 0x80],
            ])
    }

    @Test func `a size of several bytes is read as it was written`() throws {
        let unit = OpenBitstreamUnit.write(.padding, [UInt8](repeating: 7, count: 20_000))
        let units = try Self.units(in: unit)
        #expect(units.map(\.payload) == [4..<20_004])
    }

    @Test(
        arguments: [
            [0x8a, 0], [0x12], [0x12, 5, 0], [0x16], [0x12] + [UInt8](repeating: 0xff, count: 9),
            [0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func `a unit that is cut off, or has no such size, is refused`(bytes: [UInt8]) {
        #expect(throws: BitstreamError.self) { try Self.units(in: bytes) }
    }

    @Test func `damaged packets are read, or refused`() throws {
        var random = SeededRandom(7)
        for recipe in Self.streams {
            guard let packet = try Self.packets(recipe).first else { continue }
            for _ in 0..<2_000 {
                var bytes = Array(packet.prefix(40))
                for _ in 0..<3 {
                    bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                let span = bytes.span.bytes
                for unit in (try? OpenBitstreamUnit.units(in: span)) ?? [] {
                    _ = try? AV1FrameStart(span.extracting(unit.payload))
                    guard let header = try? AV1SequenceHeader(span.extracting(unit.payload)) else { continue }
                    #expect(!header.unit.isEmpty)
                }
            }
        }
    }
}
