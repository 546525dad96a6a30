import Testing
import VTXBitstream
import VTXMedia
import VTXTestMedia

@Suite("The quantizer of a slice")
struct QuantizerTests {
    /// The quantizers of all slices, nil for one that cannot be read, in decoding order.
    private func quantizers(_ test: StreamCase) throws -> [Int?] {
        let bytes = try CodedStream(test).bytes
        var boundary = AccessUnitBoundary(codec: test.codec)
        var found: [Int?] = []
        for unit in AnnexB.units(in: bytes.span.bytes, codec: test.codec) {
            let slice = bytes.bytes(of: unit)
            _ = boundary.append(slice.span.bytes)
            guard unit.isVCL else { continue }
            if test.codec == .h264 {
                found.append(try H264SliceHeader(slice.span.bytes, boundary.h264).quantizer)
            } else {
                let header = try HEVCSliceSegmentHeader(slice.span.bytes, boundary.hevc)
                if !header.isDependent { found.append(header.quantizer) }
            }
        }
        return found
    }

    /// One quantizer for all pictures, independent of the fields before it.
    private func constant(_ test: StreamCase, _ quantizer: Int) -> StreamCase {
        var test = test
        test.name += ", quantizer \(quantizer)"
        for index in test.recipe.options.indices where test.recipe.options[index].0.hasSuffix("-params") {
            let others = test.recipe.options[index].1
            test.recipe.options[index].1 = (others.isEmpty ? "" : others + ":") + "qp=\(quantizer):ipratio=1:pbratio=1"
        }
        return test
    }

    private static let cases = StreamCase.all.filter { test in
        !["bitrate", "lossless", "hrd", "level"].contains { test.name.contains($0) }
    }

    @Test("is read from every form of slice header", arguments: cases)
    func forms(test: StreamCase) throws {
        // x264 counts from 0 at any depth, the standards from -6 for each bit above 8. x265 adds one at some frame rates.
        let isDeep = test.codec == .h264 && test.recipe.pixelFormat.hasSuffix("10le")
        let wanted = isDeep ? 21...21 : test.recipe.frameRate == Rational(25, 1) ? 33...33 : 33...34
        let found = try quantizers(constant(test, 33))
        #expect(!found.isEmpty && found.allSatisfy { $0.map(wanted.contains) ?? false }, "\(found)")
    }

    @Test("is read after tables of weights", arguments: NALCodec.allCases)
    func weights(codec: NALCodec) throws {
        var test = codec == .h264 ? StreamCase.h264[0] : StreamCase.hevc[0]
        test.name += ", fading"
        test.recipe.frameCount = 20
        test.recipe.filters = "fade=in:0:20"
        test.recipe.options[1].1 += codec == .h264 ? ":weightp=2:weightb=1" : ":weightp=1:weightb=1"
        let found = try quantizers(constant(test, 28))
        #expect(found.count == 20 && found.allSatisfy { $0 == 28 }, "\(found)")
    }

    @Test("from the finest to the coarsest", arguments: [1, 12, 26, 51])
    func range(quantizer: Int) throws {
        for test in [StreamCase.h264[0], StreamCase.hevc[0]] {
            #expect(try quantizers(constant(test, quantizer)).allSatisfy { $0 == quantizer })
        }
    }
}
