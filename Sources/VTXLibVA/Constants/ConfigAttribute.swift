/// A `VAConfigAttribType`: what can be asked of a profile and entrypoint.
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

    /// `VAConfigAttrib*` of va.h. What a libva does not know yet it answers with "not supported".
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
