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
    /// Coded only with a timing.
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

/// The timing of a VUI or a VPS; a tick is the time of a picture where pictures are one tick apart.
package struct HEVCTimingInfo: SyntaxStructure {
    package var numUnitsInTick = 0
    package var timeScale = 0
    /// `num_ticks_poc_diff_one_minus1`; nil where picture order counts are not proportional to time.
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
