import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Completing parameter sets")
struct CompletionTests {
    private static let wanted = ColorDescription(
        primaries: 9, transfer: 16, matrix: 9, isFullRange: true, chromaLocation: 2)

    /// The stream of a driver without packed headers: the full coded size and no VUI.
    private func bare(_ codec: NALCodec, size: PixelSize = PixelSize(150, 90)) throws -> CodedStream {
        var test = codec == .h264 ? StreamCase.h264[0] : StreamCase.hevc[0]
        test.recipe.size = size
        var stream = try CodedStream(test)
        stream.packets = try stream.packets.map { try strip($0, codec) }
        return stream
    }

    private func strip(_ packet: [UInt8], _ codec: NALCodec) throws -> [UInt8] {
        var result: [UInt8] = []
        for unit in AnnexB.units(in: packet, codec: codec) {
            result += [0, 0, 1]
            result += unit.isSPS ? try bareSet(packet.bytes(of: unit), codec) : packet.bytes(of: unit)
        }
        return result
    }

    private func bareSet(_ unit: [UInt8], _ codec: NALCodec) throws -> [UInt8] {
        if codec == .h264 {
            var set = try H264SPS(nalUnit: unit)
            (set.cropping, set.vui) = (nil, nil)
            return try set.nalUnit()
        }
        var set = try HEVCSPS(nalUnit: unit)
        (set.format.conformanceWindow, set.vui) = (nil, nil)
        return try set.nalUnit()
    }

    @Test("libavcodec reads the completed fields", arguments: [NALCodec.h264, .hevc])
    func completed(codec: NALCodec) throws {
        var stream = try bare(codec)
        #expect(
            try stream.inspected().parameters.size == PixelSize(160, 96))
        let completion = ParameterSetCompletion(
            codec: codec, displaySize: PixelSize(150, 90), sampleAspectRatio: Rational(4, 3), color: Self.wanted,
            frameRate: Rational(30000, 1001))
        let first = try #require(try completion.completing(annexB: stream.packets[0]))
        #expect(first.changes.map(\.element) == ["display size", "sample aspect ratio", "colour", "frame rate"])
        stream.packets[0] = first.value
        let inspected = try stream.inspected()
        #expect(inspected.parameters.size == PixelSize(150, 90))
        #expect(inspected.parameters.color == Self.wanted)
        #expect(inspected.parameters.sampleAspectRatio.value == 4.0 / 3)
        #expect(inspected.realFrameRate.value == 30000.0 / 1001)
    }

    @Test("everything but the SPS keeps its bytes", arguments: [NALCodec.h264, .hevc])
    func untouched(codec: NALCodec) throws {
        let packet = try bare(codec).packets[0] + [0, 0]
        let completion = ParameterSetCompletion(codec: codec, displaySize: PixelSize(150, 90))
        let new = try #require(try completion.completing(annexB: packet)).value
        let (before, after) = (AnnexB.units(in: packet, codec: codec), AnnexB.units(in: new, codec: codec))
        #expect(before.map(\.rawType) == after.map(\.rawType))
        for (old, new_) in zip(before, after) where !old.isSPS { #expect(packet.bytes(of: old) == new.bytes(of: new_)) }
        #expect(new.suffix(2) == [0, 0])
        let again = try completion.completing(annexB: new)
        #expect(again == nil, "what is complete is left alone")
    }

    @Test("pictures decode the same", arguments: [NALCodec.h264, .hevc])
    func pictures(codec: NALCodec) throws {
        let directory = try TemporaryDirectory()
        var test = codec == .h264 ? StreamCase.h264[0] : StreamCase.hevc[0]
        test.recipe.size = PixelSize(150, 90)
        let original = try CodedStream(test)
        var stream = try bare(codec)
        let completion = ParameterSetCompletion(codec: codec, displaySize: PixelSize(150, 90))
        stream.packets[0] = try #require(try completion.completing(annexB: stream.packets[0])).value
        let paths = [
            directory.file("a.\(codec == .h264 ? "h264" : "hevc")"),
            directory.file("b.\(codec == .h264 ? "h264" : "hevc")"),
        ]
        try Files.write(original.bytes, to: paths[0])
        try Files.write(stream.bytes, to: paths[1])
        let checksums = try paths.map { try Decoded($0).frames.map(\.checksum) }
        #expect(checksums[0] == checksums[1] && !checksums[0].isEmpty)
    }

    @Test("invalid values are refused", arguments: [NALCodec.h264, .hevc])
    func refusals(codec: NALCodec) throws {
        let unit = try #require(try bare(codec).units { $0.isSPS }.first)
        let coded = PixelSize(160, 96)
        func failure(_ change: (inout ParameterSetCompletion) -> Void) -> CompletionError? {
            var completion = ParameterSetCompletion(codec: codec)
            change(&completion)
            do { _ = try completion.completing(sps: unit) } catch { return error }
            return nil
        }
        let large = PixelSize(1000, 90)
        #expect(failure { $0.displaySize = large } == .displaySizeExceedsCodedSize(wanted: large, coded: coded))
        let odd = PixelSize(149, 90)
        #expect(
            failure { $0.displaySize = odd }
                == .displaySizeNotInCropUnits(wanted: odd, coded: coded, unit: PixelSize(2, 2)))
        #expect(failure { $0.displaySize = PixelSize(0, 0) } != nil)
        #expect(failure { $0.sampleAspectRatio = Rational(100_003, 2) } == .sampleAspectRatio(Rational(100_003, 2)))
        #expect(failure { $0.frameRate = Rational(0, 1) } == .frameRate(Rational(0, 1)))
        let rgb = ColorDescription(matrix: 0)
        #expect(failure { $0.color = rgb } == .color(rgb))
        #expect(failure { $0.color.primaries = 256 } != nil)
        #expect(failure { _ in } == nil)
    }

    @Test func `a tick that an HRD counts in is not changed`() throws {
        let test = try #require(StreamCase.h264.first { $0.name.hasPrefix("nal-hrd=cbr") })
        let set = try H264SPS(nalUnit: try #require(try CodedStream(test).units { $0.isSPS }.first))
        #expect(throws: CompletionError.timingIsBoundToHRD(present: Rational(25, 1), wanted: Rational(50, 1))) {
            try set.completing(frameRate: Rational(50, 1))
        }
        #expect(try set.completing(frameRate: Rational(50, 2)).changes.isEmpty)
    }

    @Test func `what is not wanted otherwise stays`() throws {
        let test = try #require(StreamCase.h264.first { $0.name == "BT.709, limited" })
        let set = try H264SPS(nalUnit: try #require(try CodedStream(test).units { $0.isSPS }.first))
        #expect(try set.completing().value == set)
        let full = try set.completing(color: ColorDescription(isFullRange: true)).value
        #expect(
            full.color == ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true))
        #expect(full.vui?.bitstreamRestriction == set.vui?.bitstreamRestriction)
    }
}
