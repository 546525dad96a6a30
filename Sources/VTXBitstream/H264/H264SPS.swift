/// The sequence parameter set of H.264 (7.3.2.1.1, semantics in 7.4.2.1.1), as NAL units of type 7 hold it.
package struct H264SPS: ParameterSet {
    /// `nal_ref_idc` of the NAL unit.
    package var refIDC: UInt8 = 3
    /// `profile_idc`, Annex A.
    package var profileIDC = 0
    /// `constraint_set0_flag` in the highest bit, down to `reserved_zero_2bits`.
    package var constraintFlags = 0
    /// `level_idc`: ten times the level's number.
    package var levelIDC = 0
    /// `seq_parameter_set_id`, 0 to 31.
    package var id = 0
    /// What only the High profiles have; the others are 4:2:0 with 8 bits.
    package var chromaFormat = H264ChromaFormat()
    /// `log2_max_frame_num_minus4`, 0 to 12.
    package var log2MaxFrameNumMinus4 = 0
    package var pictureOrderCount = H264PictureOrderCount()
    /// `max_num_ref_frames`, 0 to 16.
    package var maxNumRefFrames = 0
    /// `gaps_in_frame_num_value_allowed_flag`
    package var allowsFrameNumGaps = false
    /// `pic_width_in_mbs_minus1`
    package var widthInMacroblocksMinus1 = 0
    /// `pic_height_in_map_units_minus1`
    package var heightInMapUnitsMinus1 = 0
    /// `frame_mbs_only_flag`
    package var isFrameMacroblocksOnly = true
    /// `mb_adaptive_frame_field_flag`
    package var isMBAFF = false
    /// `direct_8x8_inference_flag`
    package var direct8x8Inference = true
    package var cropping: CroppingOffsets?
    package var vui: H264VUI?
    /// Whatever stands after the last known element.
    package var trailing = RawBits()

    package init() {}

    package static let headerByteCount = H264NALUnitHeader.byteCount

    package var headerBytes: [UInt8] { H264NALUnitHeader(refIDC: refIDC, type: .sps).bytes }

    package mutating func setHeader(_ unit: RawSpan) throws(BitstreamError) {
        let header = try H264NALUnitHeader(unit)
        guard header.type == .sps else { throw .invalid(element: "nal_unit_type", value: Int64(header.type.rawValue)) }
        refIDC = header.refIDC
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(8, &profileIDC, "profile_idc")
        try coder.u(8, &constraintFlags, "constraint_set_flags")
        try coder.u(8, &levelIDC, "level_idc")
        try coder.ue(&id, "seq_parameter_set_id", 0...31)
        if Self.profilesWithChromaFormat.contains(profileIDC) { try chromaFormat.code(with: &coder) }
        try coder.ue(&log2MaxFrameNumMinus4, "log2_max_frame_num_minus4", 0...12)
        try pictureOrderCount.code(with: &coder)
        try coder.ue(&maxNumRefFrames, "max_num_ref_frames", 0...16)
        try coder.flag(&allowsFrameNumGaps)
        try codeSize(with: &coder)
        try coder.flag(&direct8x8Inference)
        try coder.optional(&cropping)
        try coder.optional(&vui)
        try coder.rest(&trailing)
    }

    private mutating func codeSize<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&widthInMacroblocksMinus1, "pic_width_in_mbs_minus1", 0...4095)
        try coder.ue(&heightInMapUnitsMinus1, "pic_height_in_map_units_minus1", 0...4095)
        try coder.flag(&isFrameMacroblocksOnly)
        if !isFrameMacroblocksOnly { try coder.flag(&isMBAFF) }
    }

    /// The profiles of the condition in 7.3.2.1.1.
    static let profilesWithChromaFormat: Set = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]
}

/// The part of the SPS that came with the High profiles (7.3.2.1.1).
package struct H264ChromaFormat: SyntaxStructure {
    /// `chroma_format_idc`, Table 6-1: 0 is monochrome, then 4:2:0, 4:2:2, 4:4:4.
    package var chromaFormatIDC = 1
    /// `separate_colour_plane_flag`
    package var hasSeparateColourPlanes = false
    package var bitDepthLumaMinus8 = 0
    package var bitDepthChromaMinus8 = 0
    /// `qpprime_y_zero_transform_bypass_flag`
    package var allowsLossless = false
    /// `seq_scaling_matrix_present_flag` and its lists.
    package var scalingMatrix: H264ScalingMatrix?

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&chromaFormatIDC, "chroma_format_idc", 0...3)
        if chromaFormatIDC == 3 { try coder.flag(&hasSeparateColourPlanes) }
        try coder.ue(&bitDepthLumaMinus8, "bit_depth_luma_minus8", 0...6)
        try coder.ue(&bitDepthChromaMinus8, "bit_depth_chroma_minus8", 0...6)
        try coder.flag(&allowsLossless)
        var isPresent = scalingMatrix != nil
        try coder.flag(&isPresent)
        guard isPresent else { return scalingMatrix = nil }
        var matrix = scalingMatrix ?? H264ScalingMatrix()
        try matrix.code(listCount: chromaFormatIDC == 3 ? 12 : 8, with: &coder)
        scalingMatrix = matrix
    }
}

/// How picture order counts are coded (7.3.2.1.1, 8.2.1).
package struct H264PictureOrderCount: SyntaxStructure {
    /// `pic_order_cnt_type`: 0, 1 or 2.
    package var type = 0
    package var log2MaxLsbMinus4 = 0
    /// `delta_pic_order_always_zero_flag`
    package var isDeltaAlwaysZero = false
    package var offsetForNonRefPic = 0
    package var offsetForTopToBottomField = 0
    package var offsetsForRefFrame: [Int] = []

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&type, "pic_order_cnt_type", 0...2)
        if type == 0 { try coder.ue(&log2MaxLsbMinus4, "log2_max_pic_order_cnt_lsb_minus4", 0...12) }
        guard type == 1 else { return }
        let any = -0x7fff_ffff...0x7fff_ffff
        try coder.flag(&isDeltaAlwaysZero)
        try coder.se(&offsetForNonRefPic, "offset_for_non_ref_pic", any)
        try coder.se(&offsetForTopToBottomField, "offset_for_top_to_bottom_field", any)
        try coder.count(of: &offsetsForRefFrame, "num_ref_frames_in_pic_order_cnt_cycle", 0...255, filler: 0)
        for index in offsetsForRefFrame.indices {
            try coder.se(&offsetsForRefFrame[index], "offset_for_ref_frame", any)
        }
    }
}
