import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

/// If both accept a damaged parameter set, both read the same fields: different sizes could cause writes out of bounds.
@Suite("Damaged parameter sets and libavcodec")
struct MutatedAgreementTests {
    private static let rounds = 2_600

    @Test("100,000 damaged parameter sets have the same fields in both", arguments: [NALCodec.h264, .hevc])
    func agreement(codec: NALCodec) throws {
        var random = SeededRandom(22)
        var (cases, both) = (0, 0)
        for test in codec == .h264 ? StreamCase.h264 : StreamCase.hevc {
            let stream = try CodedStream(test)
            let first = try FirstFrameDecoder(stream.packets[0], codec)
            #expect(first.parsed(with: first.sps) != nil, "\(test)")
            for _ in 0..<Self.rounds {
                let damaged = Self.damaged(first.sps, &random)
                cases += 1
                guard let ours = read(damaged, codec), let theirs = first.parsed(with: damaged) else { continue }
                both += 1
                if let difference = ours.difference(from: theirs) { Issue.record("\(test): \(damaged): \(difference)") }
            }
        }
        #expect(cases >= 100_000)
        #expect(both > cases / 5 && both < cases)
    }

    /// One to three bits, after the header.
    private static func damaged(_ sps: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = sps
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            bytes[Int.random(in: 2..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        return bytes
    }

    private func read(_ sps: [UInt8], _ codec: NALCodec) -> (any SequenceParameterSet)? {
        codec == .h264 ? try? H264SPS(nalUnit: sps) : try? HEVCSPS(nalUnit: sps)
    }
}

/// A key frame split into units, to replace its SPS.
private struct FirstFrameDecoder {
    let codec: NALCodec
    let sps: [UInt8]
    private let before: [[UInt8]]
    private let after: [[UInt8]]

    init(_ accessUnit: [UInt8], _ codec: NALCodec) throws {
        self.codec = codec
        let units = AnnexB.units(in: accessUnit, codec: codec)
        let place = try #require(units.firstIndex { $0.isSPS })
        let bytes = units.map { accessUnit.bytes(of: $0) }
        sps = bytes[place]
        before = Array(bytes[..<place])
        // The parser reads no further than the first slice's header.
        after = bytes[(place + 1)...].map { Array($0.prefix(200)) }
    }

    func parsed(with sps: [UInt8]) -> ParsedPicture? {
        ParsedPicture((before + [sps] + after).flatMap { [0, 0, 0, 1] + $0 }, codec.videoCodec)
    }
}

extension SequenceParameterSet {
    /// nil where there is none.
    fileprivate func difference(from other: ParsedPicture) -> String? {
        if codedSize != other.codedSize { return "coded \(codedSize), libavcodec \(other.codedSize)" }
        // libavcodec's parser crops a default display window; its decoder, like every player, does not.
        let hasDefaultWindow = (self as? HEVCSPS)?.vui?.defaultDisplayWindow != nil
        if displaySize != other.displaySize, !hasDefaultWindow {
            return "shown \(displaySize), libavcodec \(other.displaySize)"
        }
        guard let format = other.pixelFormatName.flatMap(PixelFormat.init(named:)) else { return nil }
        if bitDepth != format.bitDepth { return "\(bitDepth) bits, libavcodec \(format.name)" }
        return nil
    }
}
