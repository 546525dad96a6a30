import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

/// Corrupt bytes: a crash or an endless loop ends the test run.
@Suite("Damaged bytes")
struct MutationTests {
    /// The number of mutations of each seed; more than 100,000 cases in total.
    private static let rounds = 5_000

    private static func mutated(_ seed: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[index] = .random(in: 0...255, using: &random)
            case 2: bytes.removeLast(bytes.count - index)
            case 3: bytes.insert(contentsOf: random.bytes(.random(in: 1...8, using: &random)), at: index)
            default:
                bytes.replaceSubrange(
                    index...,
                    with: [UInt8](repeating: Bool.random(using: &random) ? 0 : 0xff, count: bytes.count - index))
            }
        }
        return bytes
    }

    @Test("100,000 damaged parameter sets are read or refused, and those read can be written")
    func parameterSets() throws {
        let names = [
            "bframes=3", "interlaced=1", "cqm4=12:cqm8=20", "4:4:4 with scaling lists",
            "nal-hrd=cbr:bitrate=500:vbv-maxrate=500:vbv-bufsize=500",
            "hrd=1:vbv-maxrate=500:vbv-bufsize=500:bitrate=400", "scaling-list=default", "4:4:4, 12 bits",
            "temporal-layers=3:b-adapt=0:bframes=3",
        ]
        var random = SeededRandom(20)
        var (cases, read, unlike) = (0, 0, 0)
        for test in StreamCase.all where names.contains(test.name) {
            let units = Set(try CodedStream(test).units { $0.isParameterSet })
            for unit in units.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                for _ in 0..<Self.rounds {
                    let bytes = Self.mutated(unit, &random)
                    cases += 1
                    if cases % 8 == 0 { Self.exercise(bytes, test.codec) }
                    // Half of them for a 4:4:4 SPS, which has more scaling lists.
                    guard let isSame = Self.isCanonical(bytes, test.codec, cases % 2 == 0 ? 1 : 3) else { continue }
                    read += 1
                    if !isSame { unlike += 1 }
                }
            }
        }
        #expect(unlike == 0)
        #expect(cases >= 100_000)
        #expect(read > cases / 20 && read < cases)
    }

    /// Whether the written set is equal when read again; nil if it could not be read.
    private static func isCanonical(_ unit: [UInt8], _ codec: NALCodec, _ idc: Int) -> Bool? {
        roundTrip(unit, codec, idc).map { roundTrip($0, codec, idc) == $0 }
    }

    private static func roundTrip(_ unit: [UInt8], _ codec: NALCodec, _ idc: Int) -> [UInt8]? {
        try? rewritten(unit, codec, chromaFormatIDC: idc)
    }

    /// All derived properties, for any contents.
    private static func exercise(_ unit: [UInt8], _ codec: NALCodec) {
        let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true, chromaLocation: 1)
        let completion = ParameterSetCompletion(
            codec: codec, displaySize: PixelSize(64, 64), sampleAspectRatio: Rational(5, 7), color: color,
            frameRate: Rational(24, 1))
        _ = try? completion.completing(sps: unit)
        if codec == .h264, let set = try? H264SPS(nalUnit: unit) { describe(set) }
        if codec == .hevc, let set = try? HEVCSPS(nalUnit: unit) { describe(set) }
    }

    private static func describe(_ set: some SequenceParameterSet) {
        let isSane = min(set.displaySize.width, set.displaySize.height) >= 0 && set.maxReorder <= 16
        if !isSane { Issue.record("\(set.displaySize), reorder \(set.maxReorder)") }
        _ = (set.profileName, set.levelName, set.frameRate, set.sampleAspectRatio, set.color, set.profile, set.chroma)
    }

    @Test("damaged streams, records and SEI are read or refused", arguments: [NALCodec.h264, .hevc])
    func streams(codec: NALCodec) throws {
        let test = codec == .h264 ? StreamCase.h264[0] : StreamCase.hevc[0]
        let stream = try CodedStream(test).bytes
        let seed = Array(stream.prefix(3000))
        var random = SeededRandom(21)
        for _ in 0..<2_000 {
            let bytes = Self.mutated(seed, &random)
            var splitter = AccessUnitSplitter(codec: codec)
            let units = try splitter.append(bytes) + splitter.finish()
            // A start code of three bytes becomes one of four.
            let count = AnnexB.uniform(bytes, codec).count
            #expect(units.reduce(0) { $0 + $1.array.count } <= count)
            for unit in AnnexB.units(in: bytes, codec: codec) {
                _ = try? SEIMessage.messages(in: bytes.bytes(of: unit), codec: codec)
            }
            _ = try? LengthPrefixed.fourBytes.units(in: bytes, codec: codec)
            _ = try? AVCDecoderConfigurationRecord(bytes).bytes()
            _ = try? HEVCDecoderConfigurationRecord([1] + bytes).bytes()
        }
    }
}
