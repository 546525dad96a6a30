/// The picture parameter set of H.264 (7.3.2.2, semantics in 7.4.2.2).
public struct H264PPS: ParameterSetSyntax, ParameterSet {
    package var refIDC: UInt8 = 3
    /// `chroma_format_idc` of the SPS. Not part of the PPS, but needed to count its scaling lists.
    package var chromaFormatIDC = 1
    /// `pic_parameter_set_id`, 0 to 255.
    public package(set) var id = 0
    /// `seq_parameter_set_id`, 0 to 31.
    public package(set) var spsID = 0
    /// `entropy_coding_mode_flag`: CABAC, else CAVLC.
    public package(set) var isCABAC = false
    /// `bottom_field_pic_order_in_frame_present_flag`
    package var hasBottomFieldPicOrder = false
    package var sliceGroups = H264SliceGroups()
    package var numRefIdxL0DefaultActiveMinus1 = 0
    package var numRefIdxL1DefaultActiveMinus1 = 0
    package var hasWeightedPrediction = false
    package var weightedBipredIDC = 0
    package var picInitQPMinus26 = 0
    package var picInitQSMinus26 = 0
    package var chromaQPIndexOffset = 0
    /// `deblocking_filter_control_present_flag`
    package var hasDeblockingFilterControl = false
    /// `constrained_intra_pred_flag`
    package var hasConstrainedIntraPrediction = false
    /// `redundant_pic_cnt_present_flag`
    package var hasRedundantPicCount = false
    /// The elements of the High profiles; nil in streams without them.
    package var transform: H264TransformParameters?
    package var trailing = RawBits()

    package init() {}

    /// Parses a set of a stream that is not 4:4:4. With 4:4:4 (`chroma_format_idc` 3), a set may have more scaling
    /// lists: use ``init(nalUnit:chromaFormatIDC:)``, or ``H264ParameterSets``, which does.
    ///
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    public init(nalUnit: RawSpan) throws(BitstreamError) { try self.init(nalUnit: nalUnit, chromaFormatIDC: 1) }

    /// Parses a set, with the number of scaling lists that its SPS determines (7.3.2.2).
    ///
    /// - Parameter chromaFormatIDC: `chroma_format_idc` of the SPS that this set refers to.
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    public init(nalUnit: RawSpan, chromaFormatIDC: Int) throws(BitstreamError) {
        self.init()
        self.chromaFormatIDC = chromaFormatIDC
        try read(nalUnit)
    }

    /// `seq_parameter_set_id` of a PPS: the SPS that is needed to parse the rest.
    public static func spsID(of nalUnit: RawSpan) throws(BitstreamError) -> Int {
        var set = H264PPS()
        try set.setHeader(nalUnit)
        let rbsp = EmulationPrevention.remove(from: nalUnit, headerByteCount..<nalUnit.byteCount, limit: 16)
        var reader = SyntaxReader(BitReader(rbsp))
        try set.codeIDs(with: &reader)
        return set.spsID
    }

    package static let headerByteCount = H264NALUnitHeader.byteCount

    package var headerBytes: [UInt8] { H264NALUnitHeader(refIDC: refIDC, type: .pps).bytes }

    package mutating func setHeader(_ unit: RawSpan) throws(BitstreamError) {
        let header = try H264NALUnitHeader(unit)
        guard header.type == .pps else { throw .invalid(element: "nal_unit_type", value: Int64(header.type.rawValue)) }
        refIDC = header.refIDC
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try codeIDs(with: &coder)
        try coder.flag(&isCABAC)
        try coder.flag(&hasBottomFieldPicOrder)
        try sliceGroups.code(with: &coder)
        try codePrediction(with: &coder)
        try coder.flag(&hasDeblockingFilterControl)
        try coder.flag(&hasConstrainedIntraPrediction)
        try coder.flag(&hasRedundantPicCount)
        if coder.moreData(transform != nil) {
            var parameters = transform ?? H264TransformParameters()
            try parameters.code(chromaFormatIDC: chromaFormatIDC, with: &coder)
            transform = parameters
        }
        try coder.rest(&trailing)
    }

    private mutating func codeIDs<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&id, "pic_parameter_set_id", 0...255)
        try coder.ue(&spsID, "seq_parameter_set_id", 0...31)
    }

    private mutating func codePrediction<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&numRefIdxL0DefaultActiveMinus1, "num_ref_idx_l0_default_active_minus1", 0...31)
        try coder.ue(&numRefIdxL1DefaultActiveMinus1, "num_ref_idx_l1_default_active_minus1", 0...31)
        try coder.flag(&hasWeightedPrediction)
        try coder.u(2, &weightedBipredIDC, "weighted_bipred_idc")
        // The lower limit is that of 14 bits: the SPS is not at hand.
        try coder.se(&picInitQPMinus26, "pic_init_qp_minus26", -62...25)
        try coder.se(&picInitQSMinus26, "pic_init_qs_minus26", -26...25)
        try coder.se(&chromaQPIndexOffset, "chroma_qp_index_offset", -12...12)
    }
}

/// The end of a PPS with the tools of the High profiles (7.3.2.2, after `more_rbsp_data`).
package struct H264TransformParameters: Sendable, Hashable {
    /// `transform_8x8_mode_flag`
    package var allows8x8 = false
    package var scalingMatrix: H264ScalingMatrix?
    package var secondChromaQPIndexOffset = 0

    mutating func code<Coder: SyntaxCoder>(
        chromaFormatIDC: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.flag(&allows8x8)
        var isPresent = scalingMatrix != nil
        try coder.flag(&isPresent)
        var matrix = scalingMatrix ?? H264ScalingMatrix()
        let listsOf64 = allows8x8 ? (chromaFormatIDC == 3 ? 6 : 2) : 0
        if isPresent { try matrix.code(listCount: 6 &+ listsOf64, with: &coder) }
        scalingMatrix = isPresent ? matrix : nil
        try coder.se(&secondChromaQPIndexOffset, "second_chroma_qp_index_offset", -12...12)
    }
}

/// Slice groups (flexible macroblock ordering) of a PPS (7.3.2.2; only the Baseline and Extended profiles have them).
package struct H264SliceGroups: SyntaxStructure {
    /// `num_slice_groups_minus1`, 0 to 7; if 0, nothing follows.
    package var countMinus1 = 0
    /// `slice_group_map_type`, 0 to 6.
    package var mapType = 0
    /// Type 0.
    package var runLengthMinus1: [Int] = []
    /// Type 2: `top_left` and `bottom_right`, alternating.
    package var corners: [Int] = []
    /// Types 3 to 5: `slice_group_change_direction_flag`
    package var changeDirection = false
    /// Types 3 to 5: `slice_group_change_rate_minus1`
    package var changeRateMinus1 = 0
    /// Type 6: `slice_group_id` of each map unit.
    package var ids: [Int] = []

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&countMinus1, "num_slice_groups_minus1", 0...7)
        guard countMinus1 > 0 else { return }
        try coder.ue(&mapType, "slice_group_map_type", 0...6)
        switch mapType {
        case 0: try Self.code(&runLengthMinus1, countMinus1 &+ 1, "run_length_minus1", with: &coder)
        case 2: try Self.code(&corners, countMinus1 &* 2, "top_left_bottom_right", with: &coder)
        case 3...5:
            try coder.flag(&changeDirection)
            try coder.ue(&changeRateMinus1, "slice_group_change_rate_minus1")
        case 6: try codeIDs(with: &coder)
        default: break
        }
    }

    private static func code<Coder: SyntaxCoder>(
        _ values: inout [Int], _ count: Int, _ name: StaticString, with coder: inout Coder
    ) throws(BitstreamError) {
        values.fit(count, filler: 0)
        for index in values.indices { try coder.ue(&values[index], name) }
    }

    /// Each id has Ceil(Log2(number of groups)) bits.
    private mutating func codeIDs<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        // Level 6.2 has no more macroblocks (Table A-1); the limit bounds what a bad PPS makes us allocate.
        try coder.count(of: &ids, "pic_size_in_map_units_minus1", 0...139_263, bias: 1, filler: 0)
        let width = countMinus1 > 3 ? 3 : countMinus1 > 1 ? 2 : 1
        for index in ids.indices { try coder.u(width, &ids[index], "slice_group_id") }
    }
}
