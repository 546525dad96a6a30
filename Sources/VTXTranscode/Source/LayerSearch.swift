import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// Looks for coded pictures above the base layer: another view (MV-HEVC, MVC) or transparency. Decoders skip them.
enum LayerSearch {
    static func hasLayers(_ packets: [Packet], of stream: InputStream) -> Bool {
        guard let codec = VideoCodec(rawValue: stream.codecName),
            let framing = try? NALFraming(extradata: stream.parameters.extradata, codec: codec)
        else { return false }
        return packets.contains { packet in
            guard packet.streamIndex == stream.index else { return false }
            let units = try? framing.units(in: packet.bytes.bytes, codec: codec)
            return units?.contains(where: \.isLayerSlice) ?? false
        }
    }
}
