package import VTXMedia
import VTXSystem

/// Where a NAL unit lies in a buffer: its header and its payload, without start code or length
/// (H.264 7.3.1, H.265 7.3.1.1).
///
/// It holds a range and no pointer. Everything here works on a `RawSpan` that the caller passes along: a span is
/// checked at every access in every build, cannot outlive the memory, and costs no copy, whether the memory is a
/// packet's (`packet.bytes.bytes`) or an array's (`array.span.bytes`). A pointer has no checks in a release build,
/// and a slice of an array would have to be made by copying the packet.
package struct NALUnit: Sendable, Hashable {
    package var codec: NALCodec
    /// `nal_unit_type`, unchecked: 0 to 31 in H.264, 0 to 63 in HEVC.
    package var rawType: UInt8
    /// `nuh_layer_id` of HEVC, unchecked; 0 in H.264.
    package var layerID: UInt8
    /// Offsets of the unit's bytes in the buffer.
    package var range: Range<Int>

    /// - Parameter range: not empty, inside of `buffer`; an empty one has the type 0.
    package init(codec: NALCodec, range: Range<Int>, in buffer: RawSpan) {
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

/// The one byte before an RBSP (H.264 7.3.1); the extensions of SVC and MVC after it are not looked at.
package struct H264NALUnitHeader: Sendable, Hashable {
    package static let byteCount = 1

    /// `nal_ref_idc`, 0 to 3; 0 says that no other picture refers to this one.
    package var refIDC: UInt8
    package var type: H264NALUnitType

    package init(refIDC: UInt8, type: H264NALUnitType) {
        self.refIDC = refIDC & 3
        self.type = type
    }

    /// - Throws: `.truncated` without a byte, `.invalid` where `forbidden_zero_bit` is set.
    package init(_ unit: RawSpan) throws(BitstreamError) {
        guard unit.byteCount >= Self.byteCount else { throw .truncated }
        let byte = unit[0]
        guard byte & 0x80 == 0 else { throw .invalid(element: "forbidden_zero_bit", value: 1) }
        self.init(refIDC: byte >> 5, type: H264NALUnitType(rawValue: byte))
    }

    package var bytes: [UInt8] { [refIDC << 5 | type.rawValue] }
}

/// The two bytes before an RBSP (H.265 7.3.1.2).
package struct HEVCNALUnitHeader: Sendable, Hashable {
    package static let byteCount = 2

    package var type: HEVCNALUnitType
    /// `nuh_layer_id`, 0 to 63; pictures that everyone decodes are in layer 0.
    package var layerID: UInt8
    /// `TemporalId`, 0 to 6.
    package var temporalID: UInt8

    package init(type: HEVCNALUnitType, layerID: UInt8 = 0, temporalID: UInt8 = 0) {
        self.type = type
        self.layerID = layerID & 0x3f
        self.temporalID = min(temporalID, 6)
    }

    /// - Throws: `.truncated` with less than two bytes, `.invalid` where `forbidden_zero_bit` is set or
    ///   `nuh_temporal_id_plus1` is 0.
    package init(_ unit: RawSpan) throws(BitstreamError) {
        guard unit.byteCount >= Self.byteCount else { throw .truncated }
        let (first, second) = (unit[0], unit[1])
        guard first & 0x80 == 0 else { throw .invalid(element: "forbidden_zero_bit", value: 1) }
        guard second & 7 != 0 else { throw .invalid(element: "nuh_temporal_id_plus1", value: 0) }
        self.init(
            type: HEVCNALUnitType(rawValue: first >> 1), layerID: (first & 1) << 5 | second >> 3,
            temporalID: (second & 7) &- 1)
    }

    package var bytes: [UInt8] {
        [type.rawValue << 1 | layerID >> 5, (layerID & 0x1f) << 3 | (temporalID &+ 1)]
    }
}

extension RawSpan {
    /// One byte; an offset outside of the span ends the program, so callers compare with `byteCount` first.
    subscript(offset: Int) -> UInt8 {
        @inline(__always) get { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    }

    /// A part of the span, copied out.
    package func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](copying: extracting(range)) }
}

/// What is in a NAL unit: `nal_unit_type` of H.264 Table 7-1; 24 to 29 are RTP's (RFC 6184, Table 1).
package struct H264NALUnitType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue & 0x1f }

    package static let nonIDRSlice = Self(rawValue: 1)
    package static let sliceDataPartitionA = Self(rawValue: 2)
    package static let sliceDataPartitionB = Self(rawValue: 3)
    package static let sliceDataPartitionC = Self(rawValue: 4)
    package static let idrSlice = Self(rawValue: 5)
    package static let sei = Self(rawValue: 6)
    package static let sps = Self(rawValue: 7)
    package static let pps = Self(rawValue: 8)
    package static let accessUnitDelimiter = Self(rawValue: 9)
    package static let endOfSequence = Self(rawValue: 10)
    package static let endOfStream = Self(rawValue: 11)
    package static let fillerData = Self(rawValue: 12)
    package static let spsExtension = Self(rawValue: 13)
    package static let prefix = Self(rawValue: 14)
    package static let subsetSPS = Self(rawValue: 15)
    package static let depthParameterSet = Self(rawValue: 16)
    package static let auxiliarySlice = Self(rawValue: 19)
    package static let sliceExtension = Self(rawValue: 20)
    package static let sliceExtensionForDepth = Self(rawValue: 21)
    package static let stapA = Self(rawValue: 24)
    package static let stapB = Self(rawValue: 25)
    package static let mtap16 = Self(rawValue: 26)
    package static let mtap24 = Self(rawValue: 27)
    package static let fuA = Self(rawValue: 28)
    package static let fuB = Self(rawValue: 29)

    /// Slices of the primary or a redundant coded picture: they begin with a slice header of clause 7.3.3.
    package var isSlice: Bool { (1...2).contains(rawValue) || self == .idrSlice }

    /// Coded slice data, the partitions without a slice header included (Table 7-1, "VCL").
    package var isVCL: Bool { (1...5).contains(rawValue) }
}

extension H264NALUnitType: CustomStringConvertible {
    private static let names = [
        "unspecified", "slice", "data partition A", "data partition B", "data partition C", "IDR slice", "SEI", "SPS",
        "PPS", "access unit delimiter", "end of sequence", "end of stream", "filler data", "SPS extension", "prefix",
        "subset SPS", "depth parameter set", "reserved 17", "reserved 18", "auxiliary slice", "slice extension",
        "slice extension for depth", "reserved 22", "reserved 23", "STAP-A", "STAP-B", "MTAP16", "MTAP24", "FU-A",
        "FU-B", "unspecified 30", "unspecified 31",
    ]

    package var description: String { Self.names[Int(rawValue & 0x1f)] }
}

/// What is in a NAL unit: `nal_unit_type` of H.265 Table 7-1; 48 to 50 are RTP's (RFC 7798, 4.4).
package struct HEVCNALUnitType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue & 0x3f }

    package static let trailN = Self(rawValue: 0)
    package static let trailR = Self(rawValue: 1)
    package static let tsaN = Self(rawValue: 2)
    package static let tsaR = Self(rawValue: 3)
    package static let stsaN = Self(rawValue: 4)
    package static let stsaR = Self(rawValue: 5)
    package static let radlN = Self(rawValue: 6)
    package static let radlR = Self(rawValue: 7)
    package static let raslN = Self(rawValue: 8)
    package static let raslR = Self(rawValue: 9)
    package static let blaWLP = Self(rawValue: 16)
    package static let blaWRADL = Self(rawValue: 17)
    package static let blaNLP = Self(rawValue: 18)
    package static let idrWRADL = Self(rawValue: 19)
    package static let idrNLP = Self(rawValue: 20)
    package static let cra = Self(rawValue: 21)
    package static let vps = Self(rawValue: 32)
    package static let sps = Self(rawValue: 33)
    package static let pps = Self(rawValue: 34)
    package static let accessUnitDelimiter = Self(rawValue: 35)
    package static let endOfSequence = Self(rawValue: 36)
    package static let endOfBitstream = Self(rawValue: 37)
    package static let fillerData = Self(rawValue: 38)
    package static let prefixSEI = Self(rawValue: 39)
    package static let suffixSEI = Self(rawValue: 40)
    package static let aggregationPacket = Self(rawValue: 48)
    package static let fragmentationUnit = Self(rawValue: 49)
    package static let paci = Self(rawValue: 50)

    /// Coded slice segments, and what is reserved for them (Table 7-1, "VCL").
    package var isVCL: Bool { rawValue < 32 }
    /// Slice segments of a type that is in use: they begin with a header of clause 7.3.6.1.
    package var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }
    package var isIDR: Bool { self == .idrWRADL || self == .idrNLP }
    package var isBLA: Bool { (16...18).contains(rawValue) }
    /// Intra random access point pictures (clause 3.62), the reserved types 22 and 23 included.
    package var isIRAP: Bool { (16...23).contains(rawValue) }
}

extension HEVCNALUnitType: CustomStringConvertible {
    private static let names: [UInt8: String] = [
        0: "TRAIL_N", 1: "TRAIL_R", 2: "TSA_N", 3: "TSA_R", 4: "STSA_N", 5: "STSA_R", 6: "RADL_N", 7: "RADL_R",
        8: "RASL_N", 9: "RASL_R", 10: "RSV_VCL_N10", 11: "RSV_VCL_R11", 12: "RSV_VCL_N12", 13: "RSV_VCL_R13",
        14: "RSV_VCL_N14", 15: "RSV_VCL_R15", 16: "BLA_W_LP", 17: "BLA_W_RADL", 18: "BLA_N_LP", 19: "IDR_W_RADL",
        20: "IDR_N_LP", 21: "CRA_NUT", 22: "RSV_IRAP_VCL22", 23: "RSV_IRAP_VCL23", 32: "VPS_NUT", 33: "SPS_NUT",
        34: "PPS_NUT", 35: "AUD_NUT", 36: "EOS_NUT", 37: "EOB_NUT", 38: "FD_NUT", 39: "PREFIX_SEI_NUT",
        40: "SUFFIX_SEI_NUT", 48: "AP", 49: "FU", 50: "PACI",
    ]

    package var description: String {
        Self.names[rawValue]
            ?? (rawValue < 32 ? "RSV_VCL\(rawValue)" : rawValue < 48 ? "RSV_NVCL\(rawValue)" : "UNSPEC\(rawValue)")
    }
}
