import VTXBitstream
import VTXMedia
import VTXTask

/// Describes NAL units in sequence. Slices are parsed with the preceding parameter sets.
struct NALUnitParser {
    private let codec: NALCodec
    private var boundary: AccessUnitBoundary
    private(set) var count = 0
    private(set) var accessUnit = 0

    init(_ codec: NALCodec) {
        self.codec = codec
        boundary = AccessUnitBoundary(codec: codec)
    }

    /// - Parameters:
    ///   - unit: At least its beginning.
    ///   - size: The size of the whole unit.
    mutating func describe(_ unit: RawSpan, size: Int64, at place: NALUnitInfo.Place) -> NALUnitInfo {
        let info = NALUnit(codec: codec, range: 0..<unit.byteCount, in: unit)
        let hadOrder = boundary.summary.pictureOrderCount != nil
        let begins = boundary.append(unit) != nil
        if begins { accessUnit += 1 }
        var described = NALUnitInfo(
            number: count, accessUnit: accessUnit, place: place, size: size, type: Int(info.rawType),
            name: "\(info)")
        count += 1
        do {
            try described.addHeader(codec, unit)
            try add(to: &described, info, unit, isFirst: begins || !hadOrder)
        } catch {
            described.problem = "\(error)"
        }
        return described
    }

    private func add(
        to described: inout NALUnitInfo, _ info: NALUnit, _ unit: RawSpan, isFirst: Bool
    ) throws(BitstreamError) {
        if info.isParameterSet {
            described.parameterSet = try ParameterSetInfo(info, unit, boundary.h264, boundary.hevc)
        }
        if info.isSEI { described.messages = try SEIMessage.messages(in: unit, codec: codec).map { "\($0.type)" } }
        described.isKeyFrame = info.h264Type == .idrSlice || info.hevcType?.isIRAP == true
        let order = isFirst ? boundary.summary.pictureOrderCount : nil
        if info.h264Type?.isSlice == true {
            described.slice = SliceInfo(try H264SliceHeader(unit, boundary.h264), order)
        }
        if info.hevcType?.isSlice == true {
            described.slice = SliceInfo(try HEVCSliceSegmentHeader(unit, boundary.hevc), order)
        }
    }
}

extension NALUnitInfo {
    fileprivate mutating func addHeader(_ codec: NALCodec, _ unit: RawSpan) throws(BitstreamError) {
        guard codec == .hevc else { return refIDC = Int(try H264NALUnitHeader(unit).refIDC) }
        let header = try HEVCNALUnitHeader(unit)
        (layerID, temporalID) = (Int(header.layerID), Int(header.temporalID))
    }
}

extension SliceInfo {
    fileprivate init(_ slice: H264SliceHeader, _ order: Int?) {
        self.init(ppsId: slice.ppsID)
        type = slice.type.letter
        (firstMacroblock, frameNum, idrPicId) = (slice.firstMacroblock, slice.frameNum, slice.idrPicID)
        field = slice.isField ? (slice.isBottomField ? "bottom" : "top") : nil
        picOrderCntLsb = slice.pocType == 0 ? slice.pocLsb : nil
        picOrderCnt = order
    }

    fileprivate init(_ slice: HEVCSliceSegmentHeader, _ order: Int?) {
        self.init(ppsId: slice.ppsID)
        type = slice.type?.letter
        (segmentAddress, isDependent) = (slice.address, slice.isDependent)
        picOrderCntLsb = slice.pocLsb
        picOrderCnt = order
    }
}

extension SliceType {
    fileprivate var letter: String {
        switch self {
        case .i: "I"
        case .p: "P"
        case .b: "B"
        }
    }
}

extension ParameterSetInfo {
    /// Describes a parameter set.
    ///
    /// - Parameters:
    ///   - h264: The preceding sets: a PPS is parsed according to its SPS.
    ///   - hevc: The preceding sets: those of higher layers depend on those of the base layer.
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
