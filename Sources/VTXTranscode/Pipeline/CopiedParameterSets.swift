import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask

/// Puts parameter sets before the key frames of copied video in a transport stream or byte stream, where decoders may
/// begin at each of them. libavformat does so only before IDR pictures, not at the recovery points of open GOPs (H.264
/// D.2.8).
struct CopiedParameterSets: Sendable {
    private let codec: NALCodec
    private let framing: NALFraming
    /// The latest ones.
    private var sets: [[UInt8]]

    /// nil if packets stay as they are.
    init?(_ plan: TranscodePlan, _ stream: InputStream) {
        guard plan.video.encoding == nil, plan.container == .ts || plan.container.isElementaryStream,
            let codec = NALCodec(rawValue: stream.codecName),
            let framing = try? NALFraming(extradata: stream.parameters.extradata, codec: codec)
        else { return nil }
        // libavformat puts those of an HEVC record before each random access point.
        guard codec == .h264 || framing.framing == .startCodes else { return nil }
        (self.codec, self.framing, sets) = (codec, framing, framing.units)
    }

    /// Returns the packet with parameter sets, if it is a key frame without its own.
    mutating func complete(_ packet: Packet) throws(FFmpegError) -> Packet {
        guard packet.isKeyFrame else { return packet }
        let bytes = Array(packet.bytes)
        guard let units = try? framing.units(in: bytes.span.bytes, codec: codec) else { return packet }
        let own = units.filter(\.isParameterSet)
        if own.contains(where: \.isSPS) {
            sets = own.map { Array(bytes[$0.range]) }
            return packet
        }
        // A delimiter stays first (H.264 7.4.1.2.3).
        let begin = units.prefix(while: \.isDelimiter).count
        let all = units[..<begin].map { Array(bytes[$0.range]) } + sets + units[begin...].map { Array(bytes[$0.range]) }
        guard !sets.isEmpty, let framed = try? framing.sample(of: all) else { return packet }
        return try packet.replacing(bytes: framed)
    }
}
