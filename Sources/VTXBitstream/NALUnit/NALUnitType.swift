/// The type of an H.264 NAL unit: `nal_unit_type` of H.264 Table 7-1; 24 to 29 are RTP's (RFC 6184, Table 1).
public struct H264NALUnitType: RawRepresentable, Sendable, Hashable {
    /// `nal_unit_type`
    public var rawValue: UInt8

    /// Uses the lowest 5 bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x1f }

    /// A slice of a picture that is not an IDR picture (7.3.2.8).
    public static let nonIDRSlice = Self(rawValue: 1)
    /// The slice header and macroblock headers of a partitioned slice (7.3.2.9.1).
    public static let sliceDataPartitionA = Self(rawValue: 2)
    /// The intra residual of a partitioned slice, without a slice header (7.3.2.9.2).
    public static let sliceDataPartitionB = Self(rawValue: 3)
    /// The inter residual of a partitioned slice, without a slice header (7.3.2.9.3).
    public static let sliceDataPartitionC = Self(rawValue: 4)
    /// A slice of an IDR picture (7.3.2.8).
    public static let idrSlice = Self(rawValue: 5)
    /// Supplemental enhancement information (7.3.2.3).
    public static let sei = Self(rawValue: 6)
    /// A sequence parameter set (7.3.2.1).
    public static let sps = Self(rawValue: 7)
    /// A picture parameter set (7.3.2.2).
    public static let pps = Self(rawValue: 8)
    /// An access unit delimiter (7.3.2.4).
    public static let accessUnitDelimiter = Self(rawValue: 9)
    /// The end of a sequence (7.3.2.5).
    public static let endOfSequence = Self(rawValue: 10)
    /// The end of the stream (7.3.2.6).
    public static let endOfStream = Self(rawValue: 11)
    /// Filler data (7.3.2.7).
    public static let fillerData = Self(rawValue: 12)
    /// A sequence parameter set extension, for auxiliary pictures (7.3.2.1.2).
    public static let spsExtension = Self(rawValue: 13)
    /// A prefix NAL unit of SVC (7.3.2.12).
    public static let prefix = Self(rawValue: 14)
    /// A subset sequence parameter set of SVC and MVC (7.3.2.1.3).
    public static let subsetSPS = Self(rawValue: 15)
    /// A depth parameter set of 3D-AVC.
    public static let depthParameterSet = Self(rawValue: 16)
    /// A slice of an auxiliary picture, such as transparency (7.3.2.8).
    public static let auxiliarySlice = Self(rawValue: 19)
    /// A slice of another layer or view of SVC and MVC (7.3.2.13).
    public static let sliceExtension = Self(rawValue: 20)
    /// A slice of a depth view of 3D-AVC (7.3.2.13).
    public static let sliceExtensionForDepth = Self(rawValue: 21)
    /// Several NAL units with one time (RFC 6184, 5.7.1).
    public static let stapA = Self(rawValue: 24)
    /// Several NAL units with one time and a decoding order number (RFC 6184, 5.7.1).
    public static let stapB = Self(rawValue: 25)
    /// Several NAL units with time offsets of 16 bits (RFC 6184, 5.7.2).
    public static let mtap16 = Self(rawValue: 26)
    /// Several NAL units with time offsets of 24 bits (RFC 6184, 5.7.2).
    public static let mtap24 = Self(rawValue: 27)
    /// A fragment of a NAL unit (RFC 6184, 5.8).
    public static let fuA = Self(rawValue: 28)
    /// A fragment of a NAL unit with a decoding order number (RFC 6184, 5.8).
    public static let fuB = Self(rawValue: 29)

    /// Whether it is a slice of a primary or redundant coded picture, with a slice header (7.3.3).
    public var isSlice: Bool { (1...2).contains(rawValue) || self == .idrSlice }

    /// Whether it is coded slice data, including partitions without a slice header (Table 7-1, "VCL").
    public var isVCL: Bool { (1...5).contains(rawValue) }
}

extension H264NALUnitType: CustomStringConvertible {
    private static let names = [
        "unspecified", "slice", "data partition A", "data partition B", "data partition C", "IDR slice", "SEI", "SPS",
        "PPS", "access unit delimiter", "end of sequence", "end of stream", "filler data", "SPS extension", "prefix",
        "subset SPS", "depth parameter set", "reserved 17", "reserved 18", "auxiliary slice", "slice extension",
        "slice extension for depth", "reserved 22", "reserved 23", "STAP-A", "STAP-B", "MTAP16", "MTAP24", "FU-A",
        "FU-B", "unspecified 30", "unspecified 31",
    ]

    /// The name in words.
    public var description: String { Self.names[Int(rawValue & 0x1f)] }
}

/// The type of an HEVC NAL unit: `nal_unit_type` of H.265 Table 7-1; 48 to 50 are RTP's (RFC 7798, 4.4).
public struct HEVCNALUnitType: RawRepresentable, Sendable, Hashable {
    /// `nal_unit_type`
    public var rawValue: UInt8

    /// Uses the lowest 6 bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3f }

    /// A slice segment of a trailing picture that no other picture of its sub-layer refers to.
    public static let trailN = Self(rawValue: 0)
    /// A slice segment of a trailing picture that others may refer to.
    public static let trailR = Self(rawValue: 1)
    /// A slice segment of a temporal sub-layer access picture that no other picture of its sub-layer refers to.
    public static let tsaN = Self(rawValue: 2)
    /// A slice segment of a temporal sub-layer access picture that others may refer to.
    public static let tsaR = Self(rawValue: 3)
    /// A slice segment of a step-wise temporal sub-layer access picture that none of its sub-layer refers to.
    public static let stsaN = Self(rawValue: 4)
    /// A slice segment of a step-wise temporal sub-layer access picture that others may refer to.
    public static let stsaR = Self(rawValue: 5)
    /// A slice segment of a random access decodable leading picture that no other picture of its sub-layer refers to.
    public static let radlN = Self(rawValue: 6)
    /// A slice segment of a random access decodable leading picture that others may refer to.
    public static let radlR = Self(rawValue: 7)
    /// A slice segment of a random access skipped leading picture that no other picture of its sub-layer refers to.
    public static let raslN = Self(rawValue: 8)
    /// A slice segment of a random access skipped leading picture that others may refer to.
    public static let raslR = Self(rawValue: 9)
    /// A slice segment of a broken link access picture that may have leading pictures.
    public static let blaWLP = Self(rawValue: 16)
    /// A slice segment of a broken link access picture that may have decodable leading pictures.
    public static let blaWRADL = Self(rawValue: 17)
    /// A slice segment of a broken link access picture without leading pictures.
    public static let blaNLP = Self(rawValue: 18)
    /// A slice segment of an IDR picture that may have decodable leading pictures.
    public static let idrWRADL = Self(rawValue: 19)
    /// A slice segment of an IDR picture without leading pictures.
    public static let idrNLP = Self(rawValue: 20)
    /// A slice segment of a clean random access picture.
    public static let cra = Self(rawValue: 21)
    /// A video parameter set (7.3.2.1).
    public static let vps = Self(rawValue: 32)
    /// A sequence parameter set (7.3.2.2).
    public static let sps = Self(rawValue: 33)
    /// A picture parameter set (7.3.2.3).
    public static let pps = Self(rawValue: 34)
    /// An access unit delimiter (7.3.2.5).
    public static let accessUnitDelimiter = Self(rawValue: 35)
    /// The end of a sequence (7.3.2.6).
    public static let endOfSequence = Self(rawValue: 36)
    /// The end of the bitstream (7.3.2.7).
    public static let endOfBitstream = Self(rawValue: 37)
    /// Filler data (7.3.2.8).
    public static let fillerData = Self(rawValue: 38)
    /// Supplemental enhancement information before the first slice segment (7.3.2.4).
    public static let prefixSEI = Self(rawValue: 39)
    /// Supplemental enhancement information after the first slice segment (7.3.2.4).
    public static let suffixSEI = Self(rawValue: 40)
    /// Several NAL units with one time (RFC 7798, 4.4.2).
    public static let aggregationPacket = Self(rawValue: 48)
    /// A fragment of a NAL unit (RFC 7798, 4.4.3).
    public static let fragmentationUnit = Self(rawValue: 49)
    /// A NAL unit with a payload header extension (RFC 7798, 4.4.4).
    public static let paci = Self(rawValue: 50)
    /// Dolby Vision's metadata (reference processing unit), the last NAL unit of its access unit; unspecified in H.265.
    public static let dolbyVisionRPU = Self(rawValue: 62)

    /// Whether it is a coded slice segment or a type reserved for one (Table 7-1, "VCL").
    public var isVCL: Bool { rawValue < 32 }
    /// Whether it is a slice segment of a defined type, with a slice segment header (7.3.6.1).
    public var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }
    /// Whether it is a slice segment of an IDR picture.
    public var isIDR: Bool { self == .idrWRADL || self == .idrNLP }
    /// Whether it is a slice segment of a broken link access picture.
    public var isBLA: Bool { (16...18).contains(rawValue) }
    /// Whether it is an intra random access point picture (clause 3.62), including the reserved types 22 and 23.
    public var isIRAP: Bool { (16...23).contains(rawValue) }
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

    /// The name in Table 7-1.
    public var description: String {
        Self.names[rawValue]
            ?? (rawValue < 32 ? "RSV_VCL\(rawValue)" : rawValue < 48 ? "RSV_NVCL\(rawValue)" : "UNSPEC\(rawValue)")
    }
}

/// The type of a slice (H.264 Table 7-6, H.265 Table 7-7).
public enum SliceType: Int, Sendable, Hashable, Comparable {
    case i = 0
    case p = 1
    case b = 2

    /// Orders by the number of references: I, P, B.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `slice_type` 0 to 9 of H.264; SP and SI count as P and I.
    init(h264 code: Int) { self = [.p, .b, .i, .p, .i][code % 5] }

    /// `slice_type` 0 to 2 of H.265.
    init(hevc code: Int) { self = [.b, .p, .i][code % 3] }
}
