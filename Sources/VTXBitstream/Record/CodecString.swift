import VTXMedia

/// The codec string of a stream in playlists (RFC 6381).
package enum CodecString {
    /// - Parameters:
    ///   - codecName: The libavcodec name.
    ///   - extradata: A record as in MP4, or parameter sets with start codes.
    ///   - hasSetsInSamples: Whether samples may have parameter sets, as the sample entries `avc3` and `hev1` say.
    /// - Returns: nil for a codec that ladders do not support, or data that cannot be parsed.
    package static func of(_ codecName: String, extradata: [UInt8], hasSetsInSamples: Bool = false) -> String? {
        switch codecName {
        case "h264": (try? avcRecord(extradata)).map { avc($0, hasSetsInSamples ? "avc3" : "avc1") }
        case "hevc": (try? hevcRecord(extradata)).map { hevc($0, hasSetsInSamples ? "hev1" : "hvc1") }
        case "aac": extradata.first.map { "mp4a.40.\(objectType($0, extradata.dropFirst().first ?? 0))" }
        case "ac3": "ac-3"
        case "eac3": "ec-3"
        default: nil
        }
    }

    private static func avcRecord(_ extradata: [UInt8]) throws(BitstreamError) -> AVCDecoderConfigurationRecord {
        let bytes = extradata.span.bytes
        guard AnnexB.beginsWithStartCode(bytes) else { return try AVCDecoderConfigurationRecord(extradata) }
        let units = AnnexB.units(in: bytes, codec: .h264)
        return try AVCDecoderConfigurationRecord(
            spss: units.filter(\.isSPS).map { Array(extradata[$0.range]) }, ppss: [])
    }

    private static func hevcRecord(_ extradata: [UInt8]) throws(BitstreamError) -> HEVCDecoderConfigurationRecord {
        let bytes = extradata.span.bytes
        guard AnnexB.beginsWithStartCode(bytes) else { return try HEVCDecoderConfigurationRecord(extradata) }
        let units = AnnexB.units(in: bytes, codec: .hevc)
        return try HEVCDecoderConfigurationRecord(
            vpss: [], spss: units.filter(\.isSPS).map { Array(extradata[$0.range]) }, ppss: [])
    }

    /// Profile, constraint flags and level.
    static func avc(_ record: AVCDecoderConfigurationRecord, _ entry: String = "avc1") -> String {
        entry + "." + [record.profileIDC, record.profileCompatibility, record.levelIDC].map(byte).joined()
    }

    /// ISO/IEC 14496-15, Annex E: the compatibility flags in reverse order, and the constraint bytes without trailing
    /// zeros.
    static func hevc(_ record: HEVCDecoderConfigurationRecord, _ entry: String = "hvc1") -> String {
        let profile = record.profile
        let space = profile.space == 0 ? "" : ["A", "B", "C"][(profile.space - 1) % 3]
        let flags = (0..<32).reduce(0) { $0 | (profile.compatibilityFlags >> $1 & 1) << (31 - $1) }
        var constraints = (0..<6).map { profile.constraintFlags >> (40 - 8 * $0) & 0xff }
        while constraints.last == 0 { constraints.removeLast() }
        let parts =
            [
                entry, "\(space)\(profile.idc)", String(flags, radix: 16),
                "\(profile.isHighTier ? "H" : "L")\(record.levelIDC)",
            ]
            + constraints.map { String($0, radix: 16) }
        return parts.joined(separator: ".")
    }

    /// ISO/IEC 14496-3, 1.6.2.1: five bits, or six more after 31.
    private static func objectType(_ first: UInt8, _ second: UInt8) -> Int {
        first >> 3 == 31 ? 32 + Int((first & 7) << 3 | second >> 5) : Int(first >> 3)
    }

    private static func byte(_ value: Int) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }
}
