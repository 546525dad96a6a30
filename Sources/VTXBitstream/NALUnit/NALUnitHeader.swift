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
    package func copy(_ range: Range<Int>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { target, count in
            extracting(range).withUnsafeBytes { UnsafeMutableRawBufferPointer(target).copyMemory(from: $0) }
            count = range.count
        }
    }
}
