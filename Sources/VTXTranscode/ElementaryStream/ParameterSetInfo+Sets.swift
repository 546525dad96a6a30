import VTXBitstream
import VTXMedia
import VTXTask

extension ParameterSetInfo {
    /// What a parameter set's NAL unit says.
    ///
    /// - Parameters:
    ///   - h264: the sets before it: how a PPS is read depends on its SPS.
    ///   - hevc: likewise: sets of higher layers build upon those of the base layer.
    init(
        _ info: NALUnit, _ unit: RawSpan, _ h264: H264ParameterSets, _ hevc: HEVCParameterSets
    ) throws(BitstreamError) {
        switch (info.codec, info) {
        case (.h264, let info) where info.isSPS: self.init(try H264SPS(nalUnit: unit))
        case (.h264, _): self.init(try H264PPS.reading(unit, h264))
        case (.hevc, let info) where info.isSPS && info.layerID > 0: self.init(try hevc.layerSPS(unit))
        case (.hevc, let info) where info.isPPS && info.layerID > 0: self.init(try HEVCPPS(layer: unit))
        case (.hevc, let info) where info.isSPS: self.init(try HEVCSPS(nalUnit: unit))
        case (.hevc, let info) where info.isVPS: self.init(try HEVCVPS(nalUnit: unit))
        case (.hevc, _): self.init(try HEVCPPS(nalUnit: unit))
        }
    }

    private init(_ set: H264SPS) {
        self.init(id: set.id)
        add(set)
        picOrderCntType = set.pictureOrderCount.type
    }

    private init(_ set: HEVCSPS) {
        self.init(id: set.id)
        add(set)
        vpsId = set.vpsID
        tier = set.profileTierLevel.general.isHighTier ? "high" : "main"
        subLayers = set.maxSubLayersMinus1 + 1
    }

    private init(_ set: HEVCVPS) {
        self.init(id: set.id)
        subLayers = set.maxSubLayersMinus1 + 1
        frameRate = set.frameRate?.description
    }

    private init(_ set: H264PPS) {
        self.init(id: set.id)
        spsId = set.spsID
        entropyCoding = set.isCABAC ? "CABAC" : "CAVLC"
    }

    private init(_ set: HEVCPPS) {
        self.init(id: set.id)
        spsId = set.spsID
    }

    private mutating func add(_ set: some SequenceParameterSet) {
        (profile, level) = (set.profileName, set.levelName)
        (codedWidth, codedHeight) = (set.codedSize.width, set.codedSize.height)
        (width, height) = (set.displaySize.width, set.displaySize.height)
        (chroma, bitDepth) = (set.chroma.ratio, set.bitDepth)
        frameRate = set.frameRate?.description
        sampleAspectRatio = set.sampleAspectRatio.map { "\($0.numerator):\($0.denominator)" }
        (colourPrimaries, transferCharacteristics) = (set.color.primaries, set.color.transfer)
        (matrixCoefficients, isFullRange) = (set.color.matrix, set.color.isFullRange)
        maxReorder = set.maxReorder
    }
}

extension H264PPS {
    fileprivate static func reading(_ unit: RawSpan, _ sets: H264ParameterSets) throws(BitstreamError) -> H264PPS {
        let sps = sets.sps[try spsID(of: unit)]
        return try H264PPS(nalUnit: unit, chromaFormatIDC: sps?.chromaFormat.chromaFormatIDC ?? 1)
    }
}
