/// The contents of an `lhvC` box: parameter sets of layers above the base (ISO/IEC 14496-15 9.5.3.1).
package struct LHEVCDecoderConfigurationRecord: Sendable, Hashable {
    package var lengthSize: Int
    package var arrays: [HEVCDecoderConfigurationRecord.NALUnitArray] = []

    /// - Throws: `.truncated`, `.invalid` for another version or for lengths of three bytes.
    package init(_ bytes: [UInt8]) throws(BitstreamError) {
        var reader = ByteReader(bytes)
        let version = try reader.number(1)
        guard version == 1 else { throw .invalid(element: "configurationVersion", value: Int64(version)) }
        // min_spatial_segmentation_idc and parallelismType
        _ = try reader.bytes(3)
        lengthSize = try LengthPrefixed(lengthSize: Int(try reader.number(1) & 3) &+ 1).lengthSize
        let count = try reader.number(1)
        for _ in 0..<count { arrays.append(try HEVCDecoderConfigurationRecord.NALUnitArray(&reader)) }
    }

    package var units: [[UInt8]] { arrays.flatMap(\.units) }
}
