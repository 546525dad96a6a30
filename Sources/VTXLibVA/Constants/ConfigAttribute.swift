/// A `VAConfigAttribType`: an attribute of a profile and entrypoint.
package struct ConfigAttribute: RawConstant {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let rtFormat = ConfigAttribute(rawValue: 0)
    package static let rateControl = ConfigAttribute(rawValue: 5)
    package static let encPackedHeaders = ConfigAttribute(rawValue: 10)
    package static let encMaxRefFrames = ConfigAttribute(rawValue: 13)
    package static let encMaxSlices = ConfigAttribute(rawValue: 14)
    package static let encSliceStructure = ConfigAttribute(rawValue: 15)
    package static let maxPictureWidth = ConfigAttribute(rawValue: 18)
    package static let maxPictureHeight = ConfigAttribute(rawValue: 19)
    package static let encQualityRange = ConfigAttribute(rawValue: 21)
    package static let encROI = ConfigAttribute(rawValue: 25)
    package static let maxFrameSize = ConfigAttribute(rawValue: 38)
    package static let predictionDirection = ConfigAttribute(rawValue: 39)
    package static let encHEVCFeatures = ConfigAttribute(rawValue: 50)
    package static let encHEVCBlockSizes = ConfigAttribute(rawValue: 51)

    /// `VAConfigAttrib*` of va.h. A libva that does not know one answers "not supported".
    package static let table: [UInt32: String] = [
        0: "RTFormat", 1: "SpatialResidual", 2: "SpatialClipping", 3: "IntraResidual", 4: "Encryption",
        5: "RateControl", 6: "DecSliceMode", 7: "DecJPEG", 8: "DecProcessing", 10: "EncPackedHeaders",
        11: "EncInterlaced", 13: "EncMaxRefFrames", 14: "EncMaxSlices", 15: "EncSliceStructure",
        16: "EncMacroblockInfo", 18: "MaxPictureWidth", 19: "MaxPictureHeight", 20: "EncJPEG", 21: "EncQualityRange",
        22: "EncQuantization", 23: "EncIntraRefresh", 24: "EncSkipFrame", 25: "EncROI", 26: "EncRateControlExt",
        27: "ProcessingRate", 28: "EncDirtyRect", 29: "EncParallelRateControl", 30: "EncDynamicScaling",
        31: "FrameSizeToleranceSupport", 32: "FEIFunctionType", 33: "FEIMVPredictors", 34: "Stats",
        35: "EncTileSupport", 36: "CustomRoundingControl", 37: "QPBlockSize", 38: "MaxFrameSize",
        39: "PredictionDirection", 40: "MultipleFrame", 41: "ContextPriority", 42: "DecAV1Features", 43: "TEEType",
        44: "TEETypeClient", 45: "ProtectedContentCipherAlgorithm", 46: "ProtectedContentCipherBlockSize",
        47: "ProtectedContentCipherMode", 48: "ProtectedContentCipherSampleType", 49: "ProtectedContentUsage",
        50: "EncHEVCFeatures", 51: "EncHEVCBlockSizes", 52: "EncAV1", 53: "EncAV1Ext1", 54: "EncAV1Ext2",
        55: "EncPerBlockControl", 56: "EncMaxTileRows", 57: "EncMaxTileCols",
    ]
}

/// `VA_RT_FORMAT_*`: the sample formats that a surface can hold.
package struct RTFormat: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let yuv420 = RTFormat(rawValue: 0x1)
    package static let yuv422 = RTFormat(rawValue: 0x2)
    package static let yuv444 = RTFormat(rawValue: 0x4)
    package static let yuv400 = RTFormat(rawValue: 0x10)
    package static let yuv420x10 = RTFormat(rawValue: 0x100)
    package static let yuv422x10 = RTFormat(rawValue: 0x200)
    package static let yuv444x10 = RTFormat(rawValue: 0x400)
    package static let yuv420x12 = RTFormat(rawValue: 0x1000)
    package static let rgb32 = RTFormat(rawValue: 0x2_0000)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "YUV420"), (0x2, "YUV422"), (0x4, "YUV444"), (0x8, "YUV411"), (0x10, "YUV400"), (0x100, "YUV420_10"),
        (0x200, "YUV422_10"), (0x400, "YUV444_10"), (0x1000, "YUV420_12"), (0x2000, "YUV422_12"),
        (0x4000, "YUV444_12"), (0x1_0000, "RGB16"), (0x2_0000, "RGB32"), (0x10_0000, "RGBP"),
        (0x20_0000, "RGB32_10"), (0x8000_0000, "PROTECTED"),
    ]
}

/// `VA_RC_*`: rate control modes. Some are complete modes; some (`mb`, `parallel`) are combined with one.
package struct RateControlModes: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let none = RateControlModes(rawValue: 0x1)
    package static let cbr = RateControlModes(rawValue: 0x2)
    package static let vbr = RateControlModes(rawValue: 0x4)
    package static let vcm = RateControlModes(rawValue: 0x8)
    package static let cqp = RateControlModes(rawValue: 0x10)
    package static let vbrConstrained = RateControlModes(rawValue: 0x20)
    package static let icq = RateControlModes(rawValue: 0x40)
    package static let mb = RateControlModes(rawValue: 0x80)
    package static let qvbr = RateControlModes(rawValue: 0x400)
    package static let avbr = RateControlModes(rawValue: 0x800)
    package static let tcbrc = RateControlModes(rawValue: 0x1000)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "NONE"), (0x2, "CBR"), (0x4, "VBR"), (0x8, "VCM"), (0x10, "CQP"), (0x20, "VBR_CONSTRAINED"),
        (0x40, "ICQ"), (0x80, "MB"), (0x100, "CFS"), (0x200, "PARALLEL"), (0x400, "QVBR"), (0x800, "AVBR"),
        (0x1000, "TCBRC"),
    ]
}

/// `VA_ENC_PACKED_HEADER_*`: the headers that the application may write itself.
package struct PackedHeaders: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let sequence = PackedHeaders(rawValue: 0x1)
    package static let picture = PackedHeaders(rawValue: 0x2)
    package static let slice = PackedHeaders(rawValue: 0x4)
    package static let misc = PackedHeaders(rawValue: 0x8)
    package static let rawData = PackedHeaders(rawValue: 0x10)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "SEQUENCE"), (0x2, "PICTURE"), (0x4, "SLICE"), (0x8, "MISC"), (0x10, "RAW_DATA"),
    ]
}

/// `VA_PREDICTION_DIRECTION_*`: the references of an HEVC encoder.
package struct PredictionDirections: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let previous = PredictionDirections(rawValue: 0x1)
    package static let future = PredictionDirections(rawValue: 0x2)
    /// P slices must be coded as B slices with the same references in both lists (GPB).
    package static let biNotEmpty = PredictionDirections(rawValue: 0x4)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "PREVIOUS"), (0x2, "FUTURE"), (0x4, "BI_NOT_EMPTY"),
    ]
}

/// `VA_SURFACE_ATTRIB_MEM_TYPE_*`: how a surface's memory can be imported or exported.
package struct MemoryTypes: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let va = MemoryTypes(rawValue: 0x1)
    package static let drmPrime = MemoryTypes(rawValue: 0x2000_0000)
    package static let drmPrime2 = MemoryTypes(rawValue: 0x4000_0000)

    /// va.h and va_drmcommon.h. `DRM_PRIME_3` is newer than libva 2.17.
    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "VA"), (0x2, "V4L2"), (0x4, "USER_PTR"), (0x0800_0000, "DRM_PRIME_3"), (0x1000_0000, "KERNEL_DRM"),
        (0x2000_0000, "DRM_PRIME"), (0x4000_0000, "DRM_PRIME_2"),
    ]
}

/// `VA_CODED_BUF_STATUS_*`: a driver's status of an encoded frame.
package struct CodedBufferStatus: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let sliceOverflow = CodedBufferStatus(rawValue: 0x200)
    package static let frameSizeOverflow = CodedBufferStatus(rawValue: 0x1000)
    package static let badBitstream = CodedBufferStatus(rawValue: 0x8000)

    /// The flags of an unusable frame. The others describe its rate, mean QP and slices.
    package var malfunctions: CodedBufferStatus {
        intersection([.sliceOverflow, .frameSizeOverflow, .badBitstream])
    }

    package static let table: [(bits: UInt32, name: String)] = [
        (0x100, "LARGE_SLICE"), (0x200, "SLICE_OVERFLOW"), (0x400, "BITRATE_OVERFLOW"), (0x800, "BITRATE_HIGH"),
        (0x1000, "FRAME_SIZE_OVERFLOW"), (0x8000, "BAD_BITSTREAM"), (0x1000_0000, "SINGLE_NALU"),
    ]
}

/// `VAConfigAttribValEncHEVCFeatures`: two bits per coding tool.
package struct HEVCFeatures: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether the application may choose a tool.
    package enum Support: UInt32, Sendable, Hashable {
        case no = 0
        case optional = 1
        case required = 3
    }

    /// In the order of their bits.
    package enum Tool: UInt32, Sendable, Hashable, CaseIterable {
        case separateColourPlanes
        case scalingLists
        case amp
        case sao
        case pcm
        case temporalMVP
        case strongIntraSmoothing
        case dependentSlices
        case signDataHiding
        case constrainedIntraPrediction
        case transformSkip
        case cuQPDelta
        case weightedPrediction
        case transquantBypass
        case deblockingFilterDisable
    }

    /// nil for the value that va.h does not define.
    package subscript(tool: Tool) -> Support? { Support(rawValue: rawValue >> (tool.rawValue * 2) & 3) }
}

/// `VAConfigAttribValEncHEVCBlockSizes`, in samples rather than logarithms.
package struct EncHEVCBlockSizes: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private func bits(_ shift: UInt32) -> Int { Int(rawValue >> shift & 3) }

    package var maxCodingTreeBlock: Int { 8 << bits(0) }
    package var minCodingTreeBlock: Int { 8 << bits(2) }
    package var minLumaCodingBlock: Int { 8 << bits(4) }
    package var maxLumaTransformBlock: Int { 4 << bits(6) }
    package var minLumaTransformBlock: Int { 4 << bits(8) }
    package var maxTransformDepthInter: Int { bits(10) }
    package var minTransformDepthInter: Int { bits(12) }
    package var maxTransformDepthIntra: Int { bits(14) }
    package var minTransformDepthIntra: Int { bits(16) }
    package var maxPCMCodingBlock: Int { 8 << bits(18) }
    package var minPCMCodingBlock: Int { 8 << bits(20) }
}
