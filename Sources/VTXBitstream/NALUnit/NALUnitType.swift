/// The type of an H.264 NAL unit: `nal_unit_type` of H.264 Table 7-1; 24 to 29 are RTP's (RFC 6184, Table 1).
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

    /// Whether it is a slice of a primary or redundant coded picture, with a slice header (7.3.3).
    package var isSlice: Bool { (1...2).contains(rawValue) || self == .idrSlice }

    /// Whether it is coded slice data, including partitions without a slice header (Table 7-1, "VCL").
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

/// The type of an HEVC NAL unit: `nal_unit_type` of H.265 Table 7-1; 48 to 50 are RTP's (RFC 7798, 4.4).
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
    /// Dolby Vision's metadata (reference processing unit), the last NAL unit of its access unit; unspecified in H.265.
    package static let dolbyVisionRPU = Self(rawValue: 62)

    /// Whether it is a coded slice segment or a type reserved for one (Table 7-1, "VCL").
    package var isVCL: Bool { rawValue < 32 }
    /// Whether it is a slice segment of a defined type, with a slice segment header (7.3.6.1).
    package var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }
    package var isIDR: Bool { self == .idrWRADL || self == .idrNLP }
    package var isBLA: Bool { (16...18).contains(rawValue) }
    /// Whether it is an intra random access point picture (clause 3.62), including the reserved types 22 and 23.
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

/// The type of a slice (H.264 Table 7-6, H.265 Table 7-7).
package enum SliceType: Int, Sendable, Hashable, Comparable {
    case i = 0
    case p = 1
    case b = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `slice_type` 0 to 9 of H.264; SP and SI count as P and I.
    init(h264 code: Int) { self = [.p, .b, .i, .p, .i][code % 5] }

    /// `slice_type` 0 to 2 of H.265.
    init(hevc code: Int) { self = [.b, .p, .i][code % 3] }
}
