@_exported public import VTXMedia
import VTXSystem

/// The location of a NAL unit in a buffer: header and payload, without start code or length (H.264 7.3.1, H.265
/// 7.3.1.1).
///
/// It holds a range and no pointer, and works on a `RawSpan` that the caller passes along. A span checks every access
/// in every build, cannot outlive its memory and costs no copy, whether the memory is a packet's (`packet.bytes.bytes`)
/// or an array's (`array.span.bytes`). A pointer has no checks in a release build, and an array slice would require a
/// copy of the packet.
public struct NALUnit: Sendable, Hashable {
    /// The codec whose Table 7-1 the type is from.
    public var codec: NALCodec
    /// `nal_unit_type`, not validated: 0 to 31 in H.264, 0 to 63 in HEVC.
    public var rawType: UInt8
    /// `nuh_layer_id` of HEVC, not validated; 0 in H.264.
    public var layerID: UInt8
    /// The range of the unit's bytes in the buffer.
    public var range: Range<Int>

    /// - Parameter range: Inside `buffer`. An empty range results in type 0.
    public init(codec: NALCodec, range: Range<Int>, in buffer: RawSpan) {
        self.codec = codec
        self.range = range
        let first = range.isEmpty ? 0 : buffer[range.lowerBound]
        rawType = codec == .h264 ? first & 0x1f : first >> 1 & 0x3f
        let second = range.count < 2 ? 0 : buffer[range.lowerBound &+ 1]
        layerID = codec == .h264 ? 0 : (first & 1) << 5 | second >> 3
    }

    /// `nal_unit_type`; nil in HEVC.
    public var h264Type: H264NALUnitType? { codec == .h264 ? H264NALUnitType(rawValue: rawType) : nil }
    /// `nal_unit_type`; nil in H.264.
    public var hevcType: HEVCNALUnitType? { codec == .hevc ? HEVCNALUnitType(rawValue: rawType) : nil }

    /// The number of bytes before the RBSP.
    public var headerByteCount: Int {
        codec == .h264 ? H264NALUnitHeader.byteCount : HEVCNALUnitHeader.byteCount
    }

    /// Whether it is a sequence parameter set.
    public var isSPS: Bool { h264Type == .sps || hevcType == .sps }
    /// Whether it is a picture parameter set.
    public var isPPS: Bool { h264Type == .pps || hevcType == .pps }
    /// Whether it is a video parameter set of HEVC.
    public var isVPS: Bool { hevcType == .vps }
    /// Whether it is an SPS, a PPS or a VPS.
    public var isParameterSet: Bool { isSPS || isPPS || isVPS }
    /// Whether it is coded slice data (Table 7-1, "VCL"). Not every such unit has a slice header.
    public var isVCL: Bool { h264Type?.isVCL ?? hevcType?.isVCL ?? false }
    /// Whether it is a slice of an IDR picture.
    public var isIDR: Bool { h264Type == .idrSlice || hevcType?.isIDR ?? false }
    /// Whether it is a slice above the base layer, which most decoders skip: of another view, or of transparency (H.264
    /// annexes F to H, H.265 annexes F to I).
    public var isLayerSlice: Bool { hevcType?.isSlice == true && layerID > 0 || h264Type == .sliceExtension }
    /// Whether it has supplemental enhancement information.
    public var isSEI: Bool { h264Type == .sei || hevcType == .prefixSEI || hevcType == .suffixSEI }
    /// Whether it is an access unit delimiter.
    public var isDelimiter: Bool { h264Type == .accessUnitDelimiter || hevcType == .accessUnitDelimiter }
}

extension NALUnit: CustomStringConvertible {
    /// The name of the type.
    public var description: String { h264Type?.description ?? hevcType?.description ?? "NAL unit \(rawType)" }
}

/// The one-byte header of an H.264 NAL unit (H.264 7.3.1). The extensions of SVC and MVC after it are ignored.
public struct H264NALUnitHeader: Sendable, Hashable {
    /// nalUnitHeaderBytes without an extension.
    public static let byteCount = 1

    /// `nal_ref_idc`, 0 to 3; 0 means that no other picture refers to this one.
    public var refIDC: UInt8
    /// `nal_unit_type`
    public var type: H264NALUnitType

    /// Creates a header from its elements.
    public init(refIDC: UInt8, type: H264NALUnitType) {
        self.refIDC = refIDC & 3
        self.type = type
    }

    /// - Throws: `.truncated` if there is no byte, `.invalid` if `forbidden_zero_bit` is set.
    public init(_ unit: RawSpan) throws(BitstreamError) {
        guard unit.byteCount >= Self.byteCount else { throw .truncated }
        let byte = unit[0]
        guard byte & 0x80 == 0 else { throw .invalid(element: "forbidden_zero_bit", value: 1) }
        self.init(refIDC: byte >> 5, type: H264NALUnitType(rawValue: byte))
    }

    /// The coded header.
    public var bytes: [UInt8] { [refIDC << 5 | type.rawValue] }
}

/// The two-byte header of an HEVC NAL unit (H.265 7.3.1.2).
public struct HEVCNALUnitHeader: Sendable, Hashable {
    /// The size of `nal_unit_header()`.
    public static let byteCount = 2

    /// `nal_unit_type`
    public var type: HEVCNALUnitType
    /// `nuh_layer_id`, 0 to 63; layer 0 is the base layer.
    public var layerID: UInt8
    /// `TemporalId`, 0 to 6.
    public var temporalID: UInt8

    /// Creates a header from its elements.
    public init(type: HEVCNALUnitType, layerID: UInt8 = 0, temporalID: UInt8 = 0) {
        self.type = type
        self.layerID = layerID & 0x3f
        self.temporalID = min(temporalID, 6)
    }

    /// - Throws: `.truncated` if there are fewer than two bytes, `.invalid` if `forbidden_zero_bit` is set or
    ///   `nuh_temporal_id_plus1` is 0.
    public init(_ unit: RawSpan) throws(BitstreamError) {
        guard unit.byteCount >= Self.byteCount else { throw .truncated }
        let (first, second) = (unit[0], unit[1])
        guard first & 0x80 == 0 else { throw .invalid(element: "forbidden_zero_bit", value: 1) }
        guard second & 7 != 0 else { throw .invalid(element: "nuh_temporal_id_plus1", value: 0) }
        self.init(
            type: HEVCNALUnitType(rawValue: first >> 1), layerID: (first & 1) << 5 | second >> 3,
            temporalID: (second & 7) &- 1)
    }

    /// The coded header.
    public var bytes: [UInt8] {
        [type.rawValue << 1 | layerID >> 5, (layerID & 0x1f) << 3 | (temporalID &+ 1)]
    }
}

extension RawSpan {
    /// Returns one byte. An offset outside the span is a fatal error, so callers check `byteCount` first.
    subscript(offset: Int) -> UInt8 {
        @inline(__always) get { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    }

    /// Returns a copy of a part of the span.
    package func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](copying: extracting(range)) }
}
