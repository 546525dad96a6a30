import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Parameter sets of real encoders")
struct RoundTripTests {
    @Test("parameter sets are written with the same bytes", arguments: StreamCase.all)
    func roundTrip(test: StreamCase) throws {
        let stream = try CodedStream(test)
        let units = stream.units { $0.isParameterSet }
        #expect(Set(units).count >= (test.codec == .h264 ? 2 : 3))
        let idc = test.recipe.pixelFormat.hasPrefix("yuv444") ? 3 : 1
        for unit in Set(units) { #expect(try rewritten(unit, test.codec, chromaFormatIDC: idc) == unit) }
    }

    @Test("fields equal libavcodec's", arguments: StreamCase.all)
    func agreement(test: StreamCase) throws {
        let stream = try CodedStream(test)
        let unit = try #require(stream.units { $0.isSPS }.first)
        let set: any SequenceParameterSet =
            test.codec == .h264 ? try H264SPS(nalUnit: unit) : try HEVCSPS(nalUnit: unit)
        let inspected = try stream.inspected()
        let expected = inspected.parameters
        #expect(set.displaySize == expected.size)
        #expect(
            set.displaySize == test.recipe.size || test.name.contains("crop") || test.name.contains("window")
                || test.name.contains("field"))
        #expect(
            (set.sampleAspectRatio ?? Rational(1, 1)).value
                == (expected.sampleAspectRatio.isPositive ? expected.sampleAspectRatio.value : 1))
        #expect(set.bitDepth == expected.pixelFormat.bitDepth)
        #expect(set.chroma == expected.pixelFormat.chroma || set.chroma == .monochrome)
        let color = expected.color
        #expect(
            set.color.primaries == color.primaries && set.color.transfer == color.transfer
                && set.color.matrix == color.matrix)
        #expect((set.color.isFullRange ?? false) == (color.isFullRange ?? false))
        if let location = set.color.chromaLocation { #expect(location == color.chromaLocation) }
        #expect(set.frameRate == inspected.realFrameRate || test.name.contains("field"))
        expectSameNames(set, expected)
    }

    private func expectSameNames(_ set: any SequenceParameterSet, _ expected: CodecParameters) {
        if let avc = set as? H264SPS {
            #expect(avc.profileName == expected.profileName)
            #expect(avc.levelIDC == expected.level || avc.levelName == "1b")
        } else if let hevc = set as? HEVCSPS {
            // libavcodec has one name for all range extensions.
            #expect(hevc.profileName == expected.profileName || expected.profileName == "Rext")
            #expect(hevc.profileTierLevel.general.idc == expected.profile)
            #expect(hevc.profileTierLevel.levelIDC == expected.level)
        }
    }

    @Test("the signaled reordering equals the actual reordering", arguments: StreamCase.all)
    func reorder(test: StreamCase) throws {
        let stream = try CodedStream(test)
        let unit = try #require(stream.units { $0.isSPS }.first)
        let set: any SequenceParameterSet =
            test.codec == .h264 ? try H264SPS(nalUnit: unit) : try HEVCSPS(nalUnit: unit)
        let times = stream.times
        let most = times.indices.map { index in times[..<index].count { $0 > times[index] } }.max() ?? 0
        #expect(set.maxReorder >= most)
        if test.name.contains("bframes=0") { #expect(set.maxReorder == 0) }
    }

    @Test func `a truncated set is an error at every length, not a crash`() throws {
        for test in [StreamCase.h264[0], StreamCase.hevc[0]] {
            for unit in try CodedStream(test).units(where: { $0.isParameterSet }) {
                // A shorter set may be a valid one, with its own last one-bit as the stop bit; most are not.
                let failures = (0..<unit.count).count { (try? rewritten(Array(unit.prefix($0)), test.codec)) == nil }
                #expect(failures > unit.count / 3)
            }
        }
    }

    @Test func `a value that its clause forbids is refused by name when it is written`() throws {
        var set = try H264SPS(nalUnit: try #require(try CodedStream(StreamCase.h264[0]).units { $0.isSPS }.first))
        set.log2MaxFrameNumMinus4 = 13
        #expect(throws: BitstreamError.invalid(element: "log2_max_frame_num_minus4", value: 13)) { try set.nalUnit() }
    }
}

/// A parameter set, read and written again.
func rewritten(_ unit: [UInt8], _ codec: NALCodec, chromaFormatIDC: Int = 1) throws -> [UInt8] {
    let type = NALUnit(codec: codec, range: 0..<unit.count, in: unit.span.bytes)
    switch (codec, type.isSPS, type.isPPS) {
    case (.h264, true, _): return try H264SPS(nalUnit: unit).nalUnit()
    case (.h264, _, true): return try H264PPS(nalUnit: unit.span.bytes, chromaFormatIDC: chromaFormatIDC).nalUnit()
    case (.hevc, true, _): return try HEVCSPS(nalUnit: unit).nalUnit()
    case (.hevc, _, true): return try HEVCPPS(nalUnit: unit).nalUnit()
    default: return try HEVCVPS(nalUnit: unit).nalUnit()
    }
}
