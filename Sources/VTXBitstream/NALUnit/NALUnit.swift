package import VTXMedia

/// Where a NAL unit lies in a buffer: its header and its payload, without start code or length
/// (H.264 7.3.1, H.265 7.3.1.1).
///
/// It holds a range and no pointer. Everything here works on a `RawSpan` that the caller passes along: a span is
/// checked at every access in every build, cannot outlive the memory, and costs no copy, whether the memory is a
/// packet's (`packet.bytes.bytes`) or an array's (`array.span.bytes`). A pointer has no checks in a release build,
/// and a slice of an array would have to be made by copying the packet.
package struct NALUnit: Sendable, Hashable {
    package var codec: VideoCodec
    /// `nal_unit_type`, unchecked: 0 to 31 in H.264, 0 to 63 in HEVC.
    package var rawType: UInt8
    /// `nuh_layer_id` of HEVC, unchecked; 0 in H.264.
    package var layerID: UInt8
    /// Offsets of the unit's bytes in the buffer.
    package var range: Range<Int>

    /// - Parameter range: not empty, inside of `buffer`; an empty one has the type 0.
    package init(codec: VideoCodec, range: Range<Int>, in buffer: RawSpan) {
        self.codec = codec
        self.range = range
        let first = range.isEmpty ? 0 : buffer[range.lowerBound]
        rawType = codec == .h264 ? first & 0x1f : first >> 1 & 0x3f
        let second = range.count < 2 ? 0 : buffer[range.lowerBound &+ 1]
        layerID = codec == .h264 ? 0 : (first & 1) << 5 | second >> 3
    }

    package var h264Type: H264NALUnitType? { codec == .h264 ? H264NALUnitType(rawValue: rawType) : nil }
    package var hevcType: HEVCNALUnitType? { codec == .hevc ? HEVCNALUnitType(rawValue: rawType) : nil }

    /// Bytes before the RBSP.
    package var headerByteCount: Int {
        codec == .h264 ? H264NALUnitHeader.byteCount : HEVCNALUnitHeader.byteCount
    }

    package var isSPS: Bool { h264Type == .sps || hevcType == .sps }
    package var isPPS: Bool { h264Type == .pps || hevcType == .pps }
    package var isVPS: Bool { hevcType == .vps }
    package var isParameterSet: Bool { isSPS || isPPS || isVPS }
    package var isVCL: Bool { h264Type?.isVCL ?? hevcType?.isVCL ?? false }
    package var isIDR: Bool { h264Type == .idrSlice || hevcType?.isIDR ?? false }
    /// A slice above the base layer, which most decoders skip: of another view, or of transparency (H.264 annexes F to
    /// H, H.265 annexes F to I).
    package var isLayerSlice: Bool { hevcType?.isSlice == true && layerID > 0 || h264Type == .sliceExtension }
    package var isSEI: Bool { h264Type == .sei || hevcType == .prefixSEI || hevcType == .suffixSEI }
    package var isDelimiter: Bool { h264Type == .accessUnitDelimiter || hevcType == .accessUnitDelimiter }
}

extension NALUnit: CustomStringConvertible {
    package var description: String { h264Type?.description ?? hevcType?.description ?? "NAL unit \(rawType)" }
}
