/// The contents of an `avcC` box and of Matroska's CodecPrivate (ISO 14496-15 5.3.3.1).
package struct AVCDecoderConfigurationRecord: Sendable, Hashable {
    /// The fields of profiles beyond Baseline, Main and Extended. Old files omit them nevertheless.
    package struct HighProfileFields: Sendable, Hashable {
        /// `chroma_format_idc`
        package var chromaFormatIDC: Int
        package var bitDepthLumaMinus8: Int
        package var bitDepthChromaMinus8: Int
        /// NAL units of type 13.
        package var spsExtensions: [[UInt8]] = []
    }

    package var profileIDC: Int
    /// The byte between profile and level in an SPS.
    package var profileCompatibility: Int
    package var levelIDC: Int
    package var lengthSize: Int
    /// NAL units without start codes, as in packets.
    package var spss: [[UInt8]]
    package var ppss: [[UInt8]]
    package var high: HighProfileFields?
    /// All bytes after the last known field.
    package var trailing: [UInt8] = []

    /// Creates the record of a stream.
    ///
    /// - Throws: the error of parsing the first SPS; `.truncated` if there is none.
    package init(spss: [[UInt8]], ppss: [[UInt8]], lengthSize: Int = 4) throws(BitstreamError) {
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

    /// - Throws: `.truncated`; `.invalid` for another version or for three-byte lengths.
    package init(_ bytes: [UInt8]) throws(BitstreamError) {
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

    /// - Throws: `.invalid` if there are more than 31 SPS or 255 PPS, or one is longer than 65535 bytes.
    package func bytes() throws(BitstreamError) -> [UInt8] {
        guard spss.count <= 31 else { throw .invalid(element: "numOfSequenceParameterSets", value: Int64(spss.count)) }
        guard ppss.count <= 255 else { throw .invalid(element: "numOfPictureParameterSets", value: Int64(ppss.count)) }
        var bytes: [UInt8] = [1]
        // Reserved bits are ones.
        let numbers = [profileIDC, profileCompatibility, levelIDC, 0xfc | (lengthSize &- 1), 0xe0 | spss.count]
        for number in numbers { bytes.append(number: number, byteCount: 1) }
        try bytes.append(units: spss)
        bytes.append(number: ppss.count, byteCount: 1)
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
        guard spsExtensions.count <= 255 else {
            throw .invalid(element: "numOfSequenceParameterSetExt", value: Int64(spsExtensions.count))
        }
        let numbers = [
            0xfc | chromaFormatIDC, 0xf8 | bitDepthLumaMinus8, 0xf8 | bitDepthChromaMinus8, spsExtensions.count,
        ]
        for number in numbers { bytes.append(number: number, byteCount: 1) }
        try bytes.append(units: spsExtensions)
    }
}
