/// AVCDecoderConfigurationRecord: the contents of an `avcC` box and of Matroska's CodecPrivate (ISO 14496-15 5.3.3.1).
public struct AVCDecoderConfigurationRecord: Sendable, Hashable {
    /// The fields of profiles beyond Baseline, Main and Extended. Old files omit them nevertheless.
    public struct HighProfileFields: Sendable, Hashable {
        /// `chroma_format_idc`
        public var chromaFormatIDC: Int
        /// `bit_depth_luma_minus8`
        public var bitDepthLumaMinus8: Int
        /// `bit_depth_chroma_minus8`
        public var bitDepthChromaMinus8: Int
        /// Sequence parameter set extensions: NAL units of type 13.
        public var spsExtensions: [[UInt8]] = []

        public init(
            chromaFormatIDC: Int, bitDepthLumaMinus8: Int, bitDepthChromaMinus8: Int, spsExtensions: [[UInt8]] = []
        ) {
            self.chromaFormatIDC = chromaFormatIDC
            self.bitDepthLumaMinus8 = bitDepthLumaMinus8
            self.bitDepthChromaMinus8 = bitDepthChromaMinus8
            self.spsExtensions = spsExtensions
        }
    }

    /// `AVCProfileIndication`, the SPS's `profile_idc`.
    public var profileIDC: Int
    /// `profile_compatibility`: the byte between profile and level in an SPS.
    public var profileCompatibility: Int
    /// `AVCLevelIndication`, the SPS's `level_idc`: 31 is level 3.1.
    public var levelIDC: Int
    /// The number of bytes of each NAL unit's length: 1, 2 or 4 (`lengthSizeMinusOne` + 1).
    public var lengthSize: Int
    /// The sequence parameter sets: NAL units without start codes.
    public var spss: [[UInt8]]
    /// The picture parameter sets: NAL units without start codes.
    public var ppss: [[UInt8]]
    /// nil for Baseline, Main and Extended.
    public var high: HighProfileFields?
    /// All bytes after the last known field.
    public var trailing: [UInt8] = []

    /// Creates the record of a stream.
    ///
    /// - Throws: the error of parsing the first SPS; `.truncated` if there is none.
    public init(spss: [[UInt8]], ppss: [[UInt8]], lengthSize: Int = 4) throws(BitstreamError) {
        guard let first = spss.first else { throw .truncated }
        let sps = try H264SPS(nalUnit: first)
        profileIDC = sps.profileIDC
        profileCompatibility = sps.constraintFlags
        levelIDC = sps.levelIDC
        self.lengthSize = try LengthPrefixed(lengthSize: lengthSize).lengthSize
        self.spss = spss
        self.ppss = ppss
        guard Self.hasHighFields(profileIDC) else { return }
        let format = sps.chromaFormat
        high = HighProfileFields(
            chromaFormatIDC: format.chromaFormatIDC, bitDepthLumaMinus8: format.bitDepthLumaMinus8,
            bitDepthChromaMinus8: format.bitDepthChromaMinus8)
    }

    /// Parses a record.
    ///
    /// - Throws: `.truncated`; `.invalid` for another version or for three-byte lengths.
    public init(_ bytes: [UInt8]) throws(BitstreamError) {
        var reader = ByteReader(bytes)
        let version = try reader.number(1)
        guard version == 1 else { throw .invalid(element: "configurationVersion", value: Int64(version)) }
        profileIDC = try reader.number(1)
        profileCompatibility = try reader.number(1)
        levelIDC = try reader.number(1)
        lengthSize = try LengthPrefixed(lengthSize: (try reader.number(1) & 3) &+ 1).lengthSize
        spss = try reader.units(try reader.number(1) & 0x1f)
        ppss = try reader.units(try reader.number(1))
        if Self.hasHighFields(profileIDC), reader.remaining >= 4 { high = try HighProfileFields(&reader) }
        trailing = try reader.bytes(reader.remaining)
    }

    private static func hasHighFields(_ profileIDC: Int) -> Bool { ![66, 77, 88].contains(profileIDC) }

    /// Returns the record's bytes.
    ///
    /// - Throws: `.invalid` if a value does not fit into its field.
    public func bytes() throws(BitstreamError) -> [UInt8] {
        let lengthSize = try LengthPrefixed(lengthSize: lengthSize).lengthSize
        var bytes: [UInt8] = [1]
        try bytes.append(profileIDC, bits: 8, "AVCProfileIndication")
        try bytes.append(profileCompatibility, bits: 8, "profile_compatibility")
        try bytes.append(levelIDC, bits: 8, "AVCLevelIndication")
        try bytes.append(lengthSize &- 1, bits: 2, "lengthSizeMinusOne")
        try bytes.append(spss.count, bits: 5, "numOfSequenceParameterSets")
        try bytes.append(units: spss)
        try bytes.append(ppss.count, bits: 8, "numOfPictureParameterSets")
        try bytes.append(units: ppss)
        if let high { try high.write(to: &bytes) }
        return bytes + trailing
    }
}

extension AVCDecoderConfigurationRecord.HighProfileFields {
    fileprivate init(_ reader: inout ByteReader) throws(BitstreamError) {
        chromaFormatIDC = try reader.number(1) & 3
        bitDepthLumaMinus8 = try reader.number(1) & 7
        bitDepthChromaMinus8 = try reader.number(1) & 7
        spsExtensions = try reader.units(try reader.number(1))
    }

    fileprivate func write(to bytes: inout [UInt8]) throws(BitstreamError) {
        try bytes.append(chromaFormatIDC, bits: 2, "chroma_format")
        try bytes.append(bitDepthLumaMinus8, bits: 3, "bit_depth_luma_minus8")
        try bytes.append(bitDepthChromaMinus8, bits: 3, "bit_depth_chroma_minus8")
        try bytes.append(spsExtensions.count, bits: 8, "numOfSequenceParameterSetExt")
        try bytes.append(units: spsExtensions)
    }
}

extension [UInt8] {
    /// Appends the byte of a field whose other bits are reserved: ones.
    fileprivate mutating func append(_ value: Int, bits: Int, _ element: String) throws(BitstreamError) {
        guard (0..<1 << bits).contains(value) else { throw .invalid(element: element, value: Int64(value)) }
        append(UInt8(0xff << bits & 0xff | value))
    }
}
