/// The picture parameter set of HEVC (H.265 7.3.2.3, semantics in 7.4.3.3).
public struct HEVCPPS: ParameterSetSyntax, ParameterSet {
    /// `TemporalId` of the NAL unit (7.4.2.2).
    public package(set) var temporalID: UInt8 = 0
    /// `pps_pic_parameter_set_id`, 0 to 63.
    public package(set) var id = 0
    /// `pps_seq_parameter_set_id`, 0 to 15.
    public package(set) var spsID = 0
    /// `dependent_slice_segments_enabled_flag`
    package var hasDependentSliceSegments = false
    /// `output_flag_present_flag`
    package var hasOutputFlag = false
    /// `num_extra_slice_header_bits`
    package var extraSliceHeaderBits = 0
    /// `sign_data_hiding_enabled_flag`
    package var hasSignDataHiding = false
    /// `cabac_init_present_flag`
    package var hasCABACInit = false
    package var numRefIdxL0DefaultActiveMinus1 = 0
    package var numRefIdxL1DefaultActiveMinus1 = 0
    package var quantization = HEVCPictureQuantization()
    /// `weighted_pred_flag`
    package var hasWeightedPrediction = false
    /// `weighted_bipred_flag`
    package var hasWeightedBiprediction = false
    /// `transquant_bypass_enabled_flag`
    package var allowsLossless = false
    /// `tiles_enabled_flag` and their grid.
    package var tiles: HEVCTiles?
    /// `entropy_coding_sync_enabled_flag`
    package var hasEntropyCodingSync = false
    /// `pps_loop_filter_across_slices_enabled_flag`
    package var hasLoopFilterAcrossSlices = false
    package var deblocking: HEVCDeblockingControl?
    package var scalingLists: HEVCScalingListData?
    /// `lists_modification_present_flag`
    package var hasListsModification = false
    package var log2ParallelMergeLevelMinus2 = 0
    /// `slice_segment_header_extension_present_flag`
    package var hasSliceHeaderExtension = false
    /// `pps_extension_present_flag`
    package var hasExtension = false
    /// The flags and bits of the extensions, and all bits after the last known element.
    package var trailing = RawBits()

    package init() {}

    package static let headerByteCount = HEVCNALUnitHeader.byteCount

    package var headerBytes: [UInt8] { HEVCNALUnitHeader(type: .pps, temporalID: temporalID).bytes }

    package mutating func setHeader(_ unit: RawSpan) throws(BitstreamError) {
        temporalID = try HEVCNALUnitHeader(unit).temporalID(of: .pps)
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try codeSliceHeaderRules(with: &coder)
        try quantization.code(with: &coder)
        try coder.flag(&hasWeightedPrediction)
        try coder.flag(&hasWeightedBiprediction)
        try coder.flag(&allowsLossless)
        try codeTiles(with: &coder)
        try coder.flag(&hasLoopFilterAcrossSlices)
        try coder.optional(&deblocking)
        try coder.optional(&scalingLists)
        try coder.flag(&hasListsModification)
        try coder.ue(&log2ParallelMergeLevelMinus2, "log2_parallel_merge_level_minus2", 0...4)
        try coder.flag(&hasSliceHeaderExtension)
        try coder.flag(&hasExtension)
        try coder.rest(&trailing)
    }

    private mutating func codeSliceHeaderRules<Coder: SyntaxCoder>(
        with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.ue(&id, "pps_pic_parameter_set_id", 0...63)
        try coder.ue(&spsID, "pps_seq_parameter_set_id", 0...15)
        try coder.flag(&hasDependentSliceSegments)
        try coder.flag(&hasOutputFlag)
        try coder.u(3, &extraSliceHeaderBits, "num_extra_slice_header_bits")
        try coder.flag(&hasSignDataHiding)
        try coder.flag(&hasCABACInit)
        try coder.ue(&numRefIdxL0DefaultActiveMinus1, "num_ref_idx_l0_default_active_minus1", 0...14)
        try coder.ue(&numRefIdxL1DefaultActiveMinus1, "num_ref_idx_l1_default_active_minus1", 0...14)
    }

    /// The flag of the tiles precedes that of the synchronization; the grid follows it.
    private mutating func codeTiles<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        var isTiled = tiles != nil
        try coder.flag(&isTiled)
        try coder.flag(&hasEntropyCodingSync)
        guard isTiled else { return tiles = nil }
        var grid = tiles ?? HEVCTiles()
        try grid.code(with: &coder)
        tiles = grid
    }
}

/// `init_qp_minus26` to `pps_slice_chroma_qp_offsets_present_flag`, including two flags about prediction.
package struct HEVCPictureQuantization: SyntaxStructure {
    package var initQPMinus26 = 0
    /// `constrained_intra_pred_flag`
    package var hasConstrainedIntraPrediction = false
    /// `transform_skip_enabled_flag`
    package var hasTransformSkip = false
    /// `diff_cu_qp_delta_depth`; nil without `cu_qp_delta_enabled_flag`.
    package var cuQPDeltaDepth: Int?
    package var cbQPOffset = 0
    package var crQPOffset = 0
    /// `pps_slice_chroma_qp_offsets_present_flag`
    package var hasSliceChromaQPOffsets = false

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.se(&initQPMinus26, "init_qp_minus26", -74...25)
        try coder.flag(&hasConstrainedIntraPrediction)
        try coder.flag(&hasTransformSkip)
        var (isEnabled, depth) = (cuQPDeltaDepth != nil, cuQPDeltaDepth ?? 0)
        try coder.flag(&isEnabled)
        if isEnabled { try coder.ue(&depth, "diff_cu_qp_delta_depth", 0...3) }
        cuQPDeltaDepth = isEnabled ? depth : nil
        try coder.se(&cbQPOffset, "pps_cb_qp_offset", -12...12)
        try coder.se(&crQPOffset, "pps_cr_qp_offset", -12...12)
        try coder.flag(&hasSliceChromaQPOffsets)
    }
}

/// The tile grid (H.265 7.3.2.3.1); Table A.8 allows 20 columns and 22 rows.
package struct HEVCTiles: SyntaxStructure {
    package var columnsMinus1 = 0
    package var rowsMinus1 = 0
    /// `uniform_spacing_flag`; if false, widths and heights are coded.
    package var isUniform = true
    package var columnWidthsMinus1: [Int] = []
    package var rowHeightsMinus1: [Int] = []
    package var hasLoopFilterAcrossTiles = true

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&columnsMinus1, "num_tile_columns_minus1", 0...19)
        try coder.ue(&rowsMinus1, "num_tile_rows_minus1", 0...21)
        try coder.flag(&isUniform)
        columnWidthsMinus1.fit(isUniform ? 0 : columnsMinus1, filler: 0)
        rowHeightsMinus1.fit(isUniform ? 0 : rowsMinus1, filler: 0)
        for index in columnWidthsMinus1.indices {
            try coder.ue(&columnWidthsMinus1[index], "column_width_minus1", 0...0xffff)
        }
        for index in rowHeightsMinus1.indices {
            try coder.ue(&rowHeightsMinus1[index], "row_height_minus1", 0...0xffff)
        }
        try coder.flag(&hasLoopFilterAcrossTiles)
    }
}

/// `deblocking_filter_control_present_flag` and what follows.
package struct HEVCDeblockingControl: SyntaxStructure {
    /// `deblocking_filter_override_enabled_flag`
    package var allowsOverride = false
    /// `pps_deblocking_filter_disabled_flag`
    package var isDisabled = false
    package var betaOffsetDiv2 = 0
    package var tcOffsetDiv2 = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&allowsOverride)
        try coder.flag(&isDisabled)
        guard !isDisabled else { return }
        try coder.se(&betaOffsetDiv2, "pps_beta_offset_div2", -6...6)
        try coder.se(&tcOffsetDiv2, "pps_tc_offset_div2", -6...6)
    }
}
