import Glibc
import VTXBitstream
import VTXFFmpeg
import VTXSystem

/// HEVC over RTMP, where libavformat's FLV muxer refuses it: the muxer gets it as H.264, with the same record and
/// packets that HEVC would have, and the protocol gets what `EnhancedFLV` makes of it.
final class EnhancedRTMP: ByteSink {
    private let flv = Locked(EnhancedFLV())
    private let target: any ByteSink

    init(writing target: any ByteSink) { self.target = target }

    func write(_ bytes: RawSpan) throws(SystemError) {
        let converted = flv.withLock { $0.convert(bytes) }
        if !converted.isEmpty { try target.write(converted.span.bytes) }
    }

    private static let isMuxerWithoutHEVC = !Muxer.holds(codec: "hevc", format: "flv")

    /// Whether a muxer needs it for the stream of a packet.
    static func isNeeded(for packet: CapturePacket, in muxerName: String) -> Bool {
        muxerName == "flv" && packet.format.codec == .hevc && isMuxerWithoutHEVC
    }
}

extension CapturePacket {
    /// Returns a packet of HEVC as one of H.264, with HEVC's length prefixes and record (`hvcC`).
    func asH264() throws(FFmpegError) -> CapturePacket {
        guard !isAudio else { return self }
        var copy = self
        copy.packet = try packet.replacing(
            bytes: try bitstream { () throws(BitstreamError) in
                try LengthPrefixed.fourBytes.convert(annexB: packet.bytes.bytes, codec: .hevc)
            })
        guard isKeyFrame else { return copy }
        copy.parameters = try CodecParameters(parameters, as: .h264, extradata: try bitstream(hevcRecord))
        return copy
    }

    private func hevcRecord() throws(BitstreamError) -> [UInt8] {
        let extradata = parameters.extradata
        let units = AnnexB.units(in: extradata.span.bytes, codec: .hevc)
        func sets(_ type: HEVCNALUnitType) -> [[UInt8]] {
            units.filter { $0.hevcType == type }.map { Array(extradata[$0.range]) }
        }
        return try HEVCDecoderConfigurationRecord(vpss: sets(.vps), spss: sets(.sps), ppss: sets(.pps)).bytes()
    }

    private func bitstream(_ body: () throws(BitstreamError) -> [UInt8]) throws(FFmpegError) -> [UInt8] {
        do throws(BitstreamError) { return try body() } catch { throw FFmpegError("hvcC: \(error)", -EINVAL) }
    }
}
