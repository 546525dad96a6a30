public import VTXMedia

/// The sequence parameter set of H.264 (7.3.2.1.1, semantics in 7.4.2.1.1), in NAL units of type 7.
public struct H264SPS: ParameterSetSyntax, ParameterSet {
    /// `nal_ref_idc` of the NAL unit.
    public var refIDC: UInt8 = 3
    /// `profile_idc`, Annex A.
    public var profileIDC = 0
    /// `constraint_set0_flag` in the highest bit, down to `reserved_zero_2bits`.
    public var constraintFlags = 0
    /// `level_idc`: ten times the level's number.
    public var levelIDC = 0
    /// `seq_parameter_set_id`, 0 to 31.
    public package(set) var id = 0
    /// The elements of the High profiles only; all others are 4:2:0 with 8 bits.
    package var chromaFormat = H264ChromaFormat()
    /// `log2_max_frame_num_minus4`, 0 to 12.
    package var log2MaxFrameNumMinus4 = 0
    package var pictureOrderCount = H264PictureOrderCount()
    /// `max_num_ref_frames`, 0 to 16.
    public package(set) var maxNumRefFrames = 0
    /// `gaps_in_frame_num_value_allowed_flag`
    package var allowsFrameNumGaps = false
    /// `pic_width_in_mbs_minus1`
    package var widthInMacroblocksMinus1 = 0
    /// `pic_height_in_map_units_minus1`
    package var heightInMapUnitsMinus1 = 0
    /// `frame_mbs_only_flag`
    public package(set) var isFrameMacroblocksOnly = true
    /// `mb_adaptive_frame_field_flag`
    package var isMBAFF = false
    /// `direct_8x8_inference_flag`
    package var direct8x8Inference = true
    package var cropping: CroppingOffsets?
    package var vui: H264VUI?
    /// All bits after the last known element.
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

/// The part of the SPS that the High profiles added (7.3.2.1.1).
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

extension H264SPS: SequenceParameterSet {
    /// PicWidthInSamplesL and FrameHeightInMbs * 16 (7.4.2.1.1).
    public var codedSize: PixelSize {
        PixelSize((widthInMacroblocksMinus1 &+ 1) &* 16, (heightInMapUnitsMinus1 &+ 1) &* 16 &* fieldFactor)
    }

    /// 2 - frame_mbs_only_flag
    private var fieldFactor: Int { isFrameMacroblocksOnly ? 1 : 2 }

    /// CropUnitX and CropUnitY (equations 7-19 to 7-22).
    package var cropUnit: PixelSize {
        let unit = ChromaFormat.unit(chromaFormat.chromaFormatIDC)
        return PixelSize(unit.width, unit.height &* fieldFactor)
    }

    /// `frame_cropping_flag` and the offsets after it (7.4.2.1.1), applied to the coded size.
    public var displaySize: PixelSize { (cropping ?? CroppingOffsets()).cropped(codedSize, unit: cropUnit) }
    /// `aspect_ratio_idc`, `sar_width` and `sar_height` (E.2.1).
    public var sampleAspectRatio: Rational? { vui?.aspectRatio?.ratio }
    /// `video_signal_type_present_flag` and `chroma_loc_info_present_flag`, and what follows them (E.2.1).
    public var color: ColorDescription { ColorDescription(vui?.videoSignal, vui?.chromaLocation) }
    /// BitDepthY: `bit_depth_luma_minus8` + 8 (7.4.2.1.1).
    public var bitDepth: Int { 8 &+ chromaFormat.bitDepthLumaMinus8 }
    /// `chroma_format_idc` (7.4.2.1.1, Table 6-1).
    public var chroma: ChromaSampling { ChromaFormat.sampling(chromaFormat.chromaFormatIDC) }

    /// A frame has two ticks (E.2.1).
    public var frameRate: Rational? {
        guard let timing = vui?.timing else { return nil }
        let rate = Rational(timing.timeScale, timing.numUnitsInTick &* 2)
        return rate.isPositive ? rate.reduced : nil
    }

    /// `constraint_set0_flag` to `constraint_set5_flag`
    public func constraint(_ index: Int) -> Bool { constraintFlags >> (7 &- index) & 1 == 1 }

    /// MaxDpbFrames of the level and size (A.3.1 h); 16 for levels that are not in Table A-1.
    package var maxDecodedFrames: Int {
        let macroblocks = (widthInMacroblocksMinus1 &+ 1) &* (heightInMapUnitsMinus1 &+ 1) &* fieldFactor
        guard let limit = H264Level.maxDpbMacroblocks[levelIDC] else { return 16 }
        return min(16, limit / max(1, macroblocks))
    }

    /// `max_num_reorder_frames`, or its inferred value (E.2.1).
    public var maxReorder: Int {
        if let restriction = vui?.bitstreamRestriction { return restriction.maxNumReorderFrames }
        // Output in decoding order needs no reordering (8.2.1), and the intra profiles have none.
        if pictureOrderCount.type == 2 { return 0 }
        let isIntra = [44, 86, 100, 110, 122, 244].contains(profileIDC) && constraint(3)
        return isIntra ? 0 : maxDecodedFrames
    }
}

/// Levels of Annex A by `level_idc`.
package enum H264Level {
    /// MaxDpbMbs, Table A-1.
    static let maxDpbMacroblocks: [Int: Int] = [
        9: 396, 10: 396, 11: 900, 12: 2376, 13: 2376, 20: 2376, 21: 4752, 22: 8100, 30: 8100, 31: 18000, 32: 20480,
        40: 32768, 41: 32768, 42: 34816, 50: 110_400, 51: 184_320, 52: 184_320, 60: 696_320, 61: 696_320,
        62: 696_320,
    ]
}

extension H264SPS {
    private static let profileNames: [Int: String] = [
        44: "CAVLC 4:4:4 Intra", 66: "Baseline", 77: "Main", 83: "Scalable Baseline", 86: "Scalable High",
        88: "Extended", 100: "High", 110: "High 10", 118: "Multiview High", 122: "High 4:2:2", 128: "Stereo High",
        138: "Multiview Depth High", 139: "Enhanced Multiview Depth High", 244: "High 4:4:4 Predictive",
    ]

    /// The name in Annex A, by `profile_idc` and the constraint flags.
    public var profileName: String {
        let name = Self.profileNames[profileIDC] ?? "profile \(profileIDC)"
        return switch profileIDC {
        case 66 where constraint(1): "Constrained Baseline"
        case 110 where constraint(3), 122 where constraint(3): "\(name) Intra"
        case 244 where constraint(3): "High 4:4:4 Intra"
        default: name
        }
    }

    /// nil for profiles that vtx does not encode.
    public var profile: VideoProfile? {
        let profiles: [Int: VideoProfile] = [
            66: .baseline, 77: .h264Main, 100: .high, 110: .high10, 122: .high422, 244: .high444,
        ]
        return profiles[profileIDC]
    }

    /// Level 1b is 9, or 11 with a flag in the old profiles (A.3.1, A.3.2).
    public var levelName: String {
        let isOld = [66, 77, 88].contains(profileIDC)
        if levelIDC == 9 || levelIDC == 11 && isOld && constraint(3) { return "1b" }
        return levelIDC % 10 == 0 ? "\(levelIDC / 10)" : "\(levelIDC / 10).\(levelIDC % 10)"
    }
}
