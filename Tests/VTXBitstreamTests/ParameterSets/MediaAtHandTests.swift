import Foundation
import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

/// The H.264 and HEVC videos in the directory `VTX_MEDIA`, such as conformance streams.
@Suite("Local media", .enabled(if: MediaAtHand.directory != nil, "VTX_MEDIA names no directory"))
struct MediaAtHandTests {
    @Test(
        "fields equal libavcodec's, and are written with the same bytes",
        arguments: MediaAtHand.paths)
    func agreement(path: String) throws {
        _ = try TemporaryDirectory()
        guard let demuxer = try? Demuxer(path: path),
            let video = demuxer.streams.first(where: { $0.kind == .video && !$0.isCoverArt }),
            let codec = NALCodec(rawValue: video.parameters.codecName)
        else { return }
        let sets = try MediaAtHand.parameterSets(video.parameters.extradata, codec)
        #expect(!sets.isEmpty)
        for set in sets { #expect(try rewritten(set, codec) == set) }
        let unit = try #require(sets.first { NALUnit(codec: codec, range: 0..<$0.count, in: $0.span.bytes).isSPS })
        let sps: any SequenceParameterSet = codec == .h264 ? try H264SPS(nalUnit: unit) : try HEVCSPS(nalUnit: unit)
        #expect(sps.displaySize == video.parameters.size)
        #expect(sps.bitDepth == video.parameters.pixelFormat.bitDepth)
        #expect(sps.chroma == video.parameters.pixelFormat.chroma)
        #expect(sps.profileName == video.parameters.profileName || video.parameters.profileName == "Rext")
        #expect(sps.maxReorder <= 16)
    }
}

private enum MediaAtHand {
    static let directory = ProcessInfo.processInfo.environment["VTX_MEDIA"]

    static var paths: [String] {
        guard let directory, let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            return []
        }
        return names.sorted().map { "\(directory)/\($0)" }
    }

    /// Those of a record, or of a byte stream.
    static func parameterSets(_ extradata: [UInt8], _ codec: NALCodec) throws -> [[UInt8]] {
        if AnnexB.beginsWithStartCode(extradata) {
            return AnnexB.units(in: extradata, codec: codec).filter(\.isParameterSet).map { extradata.bytes(of: $0) }
        }
        guard codec == .hevc else {
            let record = try AVCDecoderConfigurationRecord(extradata)
            return record.spss + record.ppss
        }
        let record = try HEVCDecoderConfigurationRecord(extradata)
        return record.units(.vps) + record.units(.sps) + record.units(.pps)
    }
}
