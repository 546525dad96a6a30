/// Video usability information (H.265 E.2.1, semantics in E.3.1).
package struct HEVCVUI: Sendable, Hashable {
    package var aspectRatio: AspectRatioInfo?
    package var overscan: OverscanInfo?
    package var videoSignal: VideoSignalType?
    package var chromaLocation: ChromaLocationInfo?
    /// `neutral_chroma_indication_flag`
    package var isNeutralChroma = false
    /// `field_seq_flag`: each picture is a field.
    package var isFieldSequence = false
    /// `frame_field_info_present_flag`
    package var hasFrameFieldInfo = false
    package var defaultDisplayWindow: CroppingOffsets?
    package var timing: HEVCTimingInfo?
    /// Coded only with timing information.
    package var hrd: HEVCHRD?
    package var bitstreamRestriction: HEVCBitstreamRestriction?

    package init() {}

    mutating func code<Coder: SyntaxCoder>(
        maxSubLayersMinus1: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.optional(&aspectRatio)
        try coder.optional(&overscan)
        try coder.optional(&videoSignal)
        try coder.optional(&chromaLocation)
        try coder.flag(&isNeutralChroma)
        try coder.flag(&isFieldSequence)
        try coder.flag(&hasFrameFieldInfo)
        try coder.optional(&defaultDisplayWindow)
        try coder.optional(&timing)
        if timing != nil { try codeHRD(maxSubLayersMinus1, with: &coder) }
        try coder.optional(&bitstreamRestriction)
    }

    private mutating func codeHRD<Coder: SyntaxCoder>(
        _ maxSubLayersMinus1: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        var isPresent = hrd != nil
        try coder.flag(&isPresent)
        guard isPresent else { return hrd = nil }
        var value = hrd ?? HEVCHRD()
        try value.code(hasCommon: true, maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        hrd = value
    }
}

/// The timing information of a VUI or a VPS. A tick is the duration of a picture if pictures are one tick apart.
package struct HEVCTimingInfo: SyntaxStructure {
    package var numUnitsInTick = 0
    package var timeScale = 0
    /// `num_ticks_poc_diff_one_minus1`; nil if picture order counts are not proportional to time.
    package var ticksPerPOCMinus1: Int?

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(32, &numUnitsInTick, "num_units_in_tick")
        try coder.u(32, &timeScale, "time_scale")
        var isProportional = ticksPerPOCMinus1 != nil
        try coder.flag(&isProportional)
        var ticks = ticksPerPOCMinus1 ?? 0
        if isProportional { try coder.ue(&ticks, "num_ticks_poc_diff_one_minus1") }
        ticksPerPOCMinus1 = isProportional ? ticks : nil
    }
}

/// `bitstream_restriction_flag` and what follows.
package struct HEVCBitstreamRestriction: SyntaxStructure {
    package var hasFixedTiles = false
    package var allowsVectorsOverBoundaries = true
    package var restrictsRefPicLists = false
    package var minSpatialSegmentationIDC = 0
    package var maxBytesPerPicDenom = 2
    package var maxBitsPerMinCUDenom = 1
    package var log2MaxMVLengthHorizontal = 15
    package var log2MaxMVLengthVertical = 15

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&hasFixedTiles)
        try coder.flag(&allowsVectorsOverBoundaries)
        try coder.flag(&restrictsRefPicLists)
        try coder.ue(&minSpatialSegmentationIDC, "min_spatial_segmentation_idc", 0...4095)
        try coder.ue(&maxBytesPerPicDenom, "max_bytes_per_pic_denom", 0...16)
        try coder.ue(&maxBitsPerMinCUDenom, "max_bits_per_min_cu_denom", 0...16)
        try coder.ue(&log2MaxMVLengthHorizontal, "log2_max_mv_length_horizontal", 0...16)
        try coder.ue(&log2MaxMVLengthVertical, "log2_max_mv_length_vertical", 0...16)
    }
}

/// Hypothetical reference decoder parameters (H.265 E.2.2, semantics in E.3.2).
package struct HEVCHRD: Sendable, Hashable {
    /// The parameters common to all sub-layers.
    package struct Common: SyntaxStructure {
        package var hasNAL = false
        package var hasVCL = false
        package var subPicture: SubPicture?
        package var bitRateScale = 0
        package var cpbSizeScale = 0
        package var cpbSizeDUScale = 0
        package var initialCPBRemovalDelayLengthMinus1 = 23
        package var auCPBRemovalDelayLengthMinus1 = 23
        package var dpbOutputDelayLengthMinus1 = 23

        package init() {}
    }

    /// `sub_pic_hrd_params_present_flag` and what follows.
    package struct SubPicture: SyntaxStructure {
        package var tickDivisorMinus2 = 0
        package var duCPBRemovalDelayIncrementLengthMinus1 = 0
        package var isInPicTimingSEI = false
        package var dpbOutputDelayDULengthMinus1 = 0

        package init() {}
    }

    package var common = Common()
    /// From the lowest to the highest.
    package var subLayers = [HEVCSubLayerHRD()]

    package init() {}

    /// - Parameter hasCommon: `commonInfPresentFlag`.
    mutating func code<Coder: SyntaxCoder>(
        hasCommon: Bool, maxSubLayersMinus1: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        if hasCommon { try common.code(with: &coder) }
        subLayers.fit(maxSubLayersMinus1 &+ 1, filler: HEVCSubLayerHRD())
        for index in subLayers.indices { try subLayers[index].code(common, with: &coder) }
    }
}

extension HEVCHRD.Common {
    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&hasNAL)
        try coder.flag(&hasVCL)
        guard hasNAL || hasVCL else { return }
        try coder.optional(&subPicture)
        try coder.u(4, &bitRateScale, "bit_rate_scale")
        try coder.u(4, &cpbSizeScale, "cpb_size_scale")
        if subPicture != nil { try coder.u(4, &cpbSizeDUScale, "cpb_size_du_scale") }
        try coder.u(5, &initialCPBRemovalDelayLengthMinus1, "initial_cpb_removal_delay_length_minus1")
        try coder.u(5, &auCPBRemovalDelayLengthMinus1, "au_cpb_removal_delay_length_minus1")
        try coder.u(5, &dpbOutputDelayLengthMinus1, "dpb_output_delay_length_minus1")
    }
}

extension HEVCHRD.SubPicture {
    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(8, &tickDivisorMinus2, "tick_divisor_minus2")
        try coder.u(5, &duCPBRemovalDelayIncrementLengthMinus1, "du_cpb_removal_delay_increment_length_minus1")
        try coder.flag(&isInPicTimingSEI)
        try coder.u(5, &dpbOutputDelayDULengthMinus1, "dpb_output_delay_du_length_minus1")
    }
}

/// One sub-layer of the HRD, with its `sub_layer_hrd_parameters()` (H.265 E.2.2 and E.2.3).
package struct HEVCSubLayerHRD: Sendable, Hashable {
    /// One alternative of the coded picture buffer.
    package struct CPB: Sendable, Hashable {
        package var bitRateValueMinus1 = 0
        package var sizeValueMinus1 = 0
        package var sizeDUValueMinus1 = 0
        package var bitRateDUValueMinus1 = 0
        package var isConstantBitRate = false

        package init() {}
    }

    /// `fixed_pic_rate_general_flag`
    package var isFixedRateGeneral = false
    /// `fixed_pic_rate_within_cvs_flag`; implied by `isFixedRateGeneral`.
    package var isFixedRateWithinCVS = false
    package var elementalDurationInTicksMinus1 = 0
    /// `low_delay_hrd_flag`
    package var isLowDelay = false
    /// `cpb_cnt_minus1`, 0 to 31.
    package var cpbCountMinus1 = 0
    package var nalCPBs: [CPB] = []
    package var vclCPBs: [CPB] = []

    package init() {}

    mutating func code<Coder: SyntaxCoder>(
        _ common: HEVCHRD.Common, with coder: inout Coder
    ) throws(BitstreamError) {
        try codeRate(with: &coder)
        if !isLowDelay { try coder.ue(&cpbCountMinus1, "cpb_cnt_minus1", 0...31) } else { cpbCountMinus1 = 0 }
        nalCPBs.fit(common.hasNAL ? cpbCountMinus1 &+ 1 : 0, filler: CPB())
        vclCPBs.fit(common.hasVCL ? cpbCountMinus1 &+ 1 : 0, filler: CPB())
        let hasUnits = common.subPicture != nil
        for index in nalCPBs.indices { try nalCPBs[index].code(hasDecodingUnits: hasUnits, with: &coder) }
        for index in vclCPBs.indices { try vclCPBs[index].code(hasDecodingUnits: hasUnits, with: &coder) }
    }

    private mutating func codeRate<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&isFixedRateGeneral)
        if isFixedRateGeneral { isFixedRateWithinCVS = true } else { try coder.flag(&isFixedRateWithinCVS) }
        if isFixedRateWithinCVS {
            try coder.ue(&elementalDurationInTicksMinus1, "elemental_duration_in_tc_minus1", 0...2047)
            isLowDelay = false
        } else {
            try coder.flag(&isLowDelay)
        }
    }
}

extension HEVCSubLayerHRD.CPB {
    fileprivate mutating func code<Coder: SyntaxCoder>(
        hasDecodingUnits: Bool, with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.ue(&bitRateValueMinus1, "bit_rate_value_minus1")
        try coder.ue(&sizeValueMinus1, "cpb_size_value_minus1")
        if hasDecodingUnits {
            try coder.ue(&sizeDUValueMinus1, "cpb_size_du_value_minus1")
            try coder.ue(&bitRateDUValueMinus1, "bit_rate_du_value_minus1")
        }
        try coder.flag(&isConstantBitRate)
    }
}
