import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// Reads the quantizers of a stream's pictures from their slice headers, packet by packet.
struct PictureQuantizers {
    private let codec: NALCodec
    private let framing: NALFraming
    private var h264 = H264ParameterSets()
    private var hevc = HEVCParameterSets()

    /// nil if the NAL units of the stream cannot be found.
    init?(_ stream: InputStream) {
        guard let codec = NALCodec(rawValue: stream.parameters.codecName),
            let framing = try? NALFraming(extradata: stream.parameters.extradata, codec: codec)
        else { return nil }
        (self.codec, self.framing) = (codec, framing)
        for unit in framing.units { insert(unit.span.bytes) }
    }

    /// Returns the largest initial quantizer of the picture's slices; nil if none can be parsed.
    mutating func read(_ packet: Packet) -> Int? {
        let copy = Array(packet.bytes)
        let bytes = copy.span.bytes
        guard let units = try? framing.units(in: bytes, codec: codec) else { return nil }
        var coarsest: Int?
        for unit in units {
            let span = bytes.extracting(unit.range)
            if unit.isParameterSet { insert(span) }
            if unit.isVCL, let quantizer = quantizer(span) { coarsest = max(coarsest ?? quantizer, quantizer) }
        }
        return coarsest
    }

    private mutating func insert(_ unit: RawSpan) {
        _ = codec == .h264 ? h264.insert(unit) : hevc.insert(unit)
    }

    private func quantizer(_ slice: RawSpan) -> Int? {
        switch codec {
        case .h264: try? H264SliceHeader(slice, h264).quantizer
        case .hevc: try? HEVCSliceSegmentHeader(slice, hevc).quantizer
        }
    }
}
