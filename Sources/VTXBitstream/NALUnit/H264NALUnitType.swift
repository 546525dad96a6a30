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
