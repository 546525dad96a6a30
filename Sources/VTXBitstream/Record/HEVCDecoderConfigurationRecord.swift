/// HEVCDecoderConfigurationRecord: the contents of an `hvcC` box and of Matroska's CodecPrivate (ISO 14496-15 8.3.3.1).
public struct HEVCDecoderConfigurationRecord: Sendable, Hashable {
    /// The NAL units of one type.
    public struct NALUnitArray: Sendable, Hashable {
        /// `array_completeness`: the stream contains no others, as the sample entry `hvc1` requires.
        public var isComplete: Bool
        /// `NAL_unit_type`
        public var type: HEVCNALUnitType
        /// NAL units without start codes.
        public var units: [[UInt8]]

        public init(isComplete: Bool, type: HEVCNALUnitType, units: [[UInt8]]) {
            self.isComplete = isComplete
            self.type = type
            self.units = units
        }
    }

    package var profile = HEVCProfile()
    /// `general_profile_idc`: 1 is Main, 2 is Main 10.
    public var profileIDC: Int {
        get { profile.idc }
        set { profile.idc = newValue }
    }
    /// `general_tier_flag`: whether the tier is the high one.
    public var isHighTier: Bool {
        get { profile.isHighTier }
        set { profile.isHighTier = newValue }
    }
    /// `general_level_idc`, 30 times the level: 93 is level 3.1.
    public var levelIDC = 0
    /// `min_spatial_segmentation_idc`; 0 for unknown.
    public var minSpatialSegmentationIDC = 0
    /// `parallelismType`: 0 for unknown, 1 for slices, 2 for tiles, 3 for wavefronts.
    public var parallelismType = 0
    /// `chroma_format_idc`: 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    public var chromaFormatIDC = 1
    /// `bit_depth_luma_minus8`
    public var bitDepthLumaMinus8 = 0
    /// `bit_depth_chroma_minus8`
    public var bitDepthChromaMinus8 = 0
    /// `avgFrameRate`: frames in 256 seconds; 0 for unspecified.
    public var avgFrameRate = 0
    /// `constantFrameRate`: 0 for unknown, 1 for constant, 2 for constant in each temporal layer.
    public var constantFrameRate = 0
    /// `numTemporalLayers`; 0 for unknown.
    public var numTemporalLayers = 1
    /// `temporalIdNested`
    public var isTemporalIDNested = false
    /// The number of bytes of each NAL unit's length: 1, 2 or 4 (`lengthSizeMinusOne` + 1).
    public var lengthSize = 4
    /// The parameter sets and SEI messages.
    public var arrays: [NALUnitArray] = []
    /// All bytes after the last known field.
    public var trailing: [UInt8] = []

    /// Creates the record of a stream.
    ///
    /// - Throws: the error of parsing the first SPS or a PPS; `.truncated` if there is no SPS.
    public init(
        vpss: [[UInt8]], spss: [[UInt8]], ppss: [[UInt8]], lengthSize: Int = 4, isComplete: Bool = true
    ) throws(BitstreamError) {
        guard let first = spss.first else { throw .truncated }
        let sps = try HEVCSPS(nalUnit: first)
        profile = sps.profileTierLevel.general
        levelIDC = sps.profileTierLevel.levelIDC
        minSpatialSegmentationIDC = sps.vui?.bitstreamRestriction?.minSpatialSegmentationIDC ?? 0
        parallelismType = try Self.parallelism(ppss, minSpatialSegmentationIDC)
        chromaFormatIDC = sps.format.chromaFormatIDC
        bitDepthLumaMinus8 = sps.format.bitDepthLumaMinus8
        bitDepthChromaMinus8 = sps.format.bitDepthChromaMinus8
        numTemporalLayers = sps.maxSubLayersMinus1 &+ 1
        isTemporalIDNested = sps.isTemporalIDNesting
        self.lengthSize = try LengthPrefixed(lengthSize: lengthSize).lengthSize
        let sets: [(HEVCNALUnitType, [[UInt8]])] = [(.vps, vpss), (.sps, spss), (.pps, ppss)]
        arrays = sets.filter { !$0.1.isEmpty }.map {
            NALUnitArray(isComplete: isComplete, type: $0.0, units: $0.1)
        }
    }

    /// Tiles and wavefronts together, or sets that differ, are unknown.
    private static func parallelism(_ ppss: [[UInt8]], _ segmentation: Int) throws(BitstreamError) -> Int {
        guard segmentation > 0 else { return 0 }
        var types: Set<Int> = []
        for bytes in ppss {
            let pps = try HEVCPPS(nalUnit: bytes)
            let isTiled = pps.tiles != nil
            types.insert(isTiled && pps.hasEntropyCodingSync ? 0 : isTiled ? 2 : pps.hasEntropyCodingSync ? 3 : 1)
        }
        return types.count == 1 ? types.first ?? 0 : 0
    }

    /// Returns the NAL units of a type from all arrays.
    public func units(_ type: HEVCNALUnitType) -> [[UInt8]] {
        arrays.filter { $0.type == type }.flatMap(\.units)
    }
}

extension HEVCDecoderConfigurationRecord {
    /// Parses a record.
    ///
    /// - Throws: `.truncated`; `.invalid` for another version or for three-byte lengths.
    public init(_ bytes: [UInt8]) throws(BitstreamError) {
        var reader = ByteReader(bytes)
        let version = try reader.number(1)
        // Files from before the standard was finished say 0.
        guard version <= 1 else { throw .invalid(element: "configurationVersion", value: Int64(version)) }
        var fields = SyntaxReader(BitReader(try reader.bytes(21)))
        try code(with: &fields)
        let count = try reader.number(1)
        for _ in 0..<count { arrays.append(try NALUnitArray(&reader)) }
        trailing = try reader.bytes(reader.remaining)
    }

    /// Returns the record's bytes.
    ///
    /// - Throws: `.invalid` if a value does not fit into its field.
    public func bytes() throws(BitstreamError) -> [UInt8] {
        var (copy, fields) = (self, SyntaxWriter())
        try copy.code(with: &fields)
        guard arrays.count <= 255 else { throw .invalid(element: "numOfArrays", value: Int64(arrays.count)) }
        var bytes: [UInt8] = [1] + fields.bits.bytes
        bytes.append(number: arrays.count, byteCount: 1)
        for array in arrays { try array.write(to: &bytes) }
        return bytes + trailing
    }

    private mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try profile.code(with: &coder)
        try coder.u(8, &levelIDC, "general_level_idc")
        try coder.reserved(4)
        try coder.u(12, &minSpatialSegmentationIDC, "min_spatial_segmentation_idc")
        try coder.reserved(6)
        try coder.u(2, &parallelismType, "parallelismType")
        try coder.reserved(6)
        try coder.u(2, &chromaFormatIDC, "chromaFormat")
        try coder.reserved(5)
        try coder.u(3, &bitDepthLumaMinus8, "bitDepthLumaMinus8")
        try coder.reserved(5)
        try coder.u(3, &bitDepthChromaMinus8, "bitDepthChromaMinus8")
        try coder.u(16, &avgFrameRate, "avgFrameRate")
        try coder.u(2, &constantFrameRate, "constantFrameRate")
        try coder.u(3, &numTemporalLayers, "numTemporalLayers")
        try coder.flag(&isTemporalIDNested)
        var lengthSizeMinusOne = lengthSize &- 1
        try coder.u(2, &lengthSizeMinusOne, "lengthSizeMinusOne")
        lengthSize = try LengthPrefixed(lengthSize: lengthSizeMinusOne &+ 1).lengthSize
    }
}

extension HEVCDecoderConfigurationRecord.NALUnitArray {
    init(_ reader: inout ByteReader) throws(BitstreamError) {
        let first = try reader.number(1)
        isComplete = first & 0x80 != 0
        type = HEVCNALUnitType(rawValue: UInt8(truncatingIfNeeded: first))
        units = try reader.units(try reader.number(2))
    }

    fileprivate func write(to bytes: inout [UInt8]) throws(BitstreamError) {
        guard units.count <= 0xffff else { throw .invalid(element: "numNalus", value: Int64(units.count)) }
        bytes.append((isComplete ? 0x80 : 0) | type.rawValue)
        bytes.append(number: units.count, byteCount: 2)
        try bytes.append(units: units)
    }
}

extension SyntaxCoder {
    /// Reserved bits: written as ones, ignored when read.
    fileprivate mutating func reserved(_ width: Int) throws(BitstreamError) {
        var ones = 1 << width &- 1
        try u(width, &ones, "reserved")
    }
}

/// The contents of an `lhvC` box: the parameter sets of layers above the base layer (ISO/IEC 14496-15 9.5.3.1).
package struct LHEVCDecoderConfigurationRecord: Sendable, Hashable {
    package var lengthSize: Int
    package var arrays: [HEVCDecoderConfigurationRecord.NALUnitArray] = []

    /// - Throws: `.truncated`; `.invalid` for another version or for three-byte lengths.
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
