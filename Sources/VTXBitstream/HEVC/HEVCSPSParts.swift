/// The chroma format, size, cropping and bit depth of the pictures (H.265 7.3.2.2, from `chroma_format_idc` on).
package struct HEVCPictureFormat: SyntaxStructure {
    /// `chroma_format_idc`, Table 6-1.
    package var chromaFormatIDC = 1
    /// `separate_colour_plane_flag`
    package var hasSeparateColourPlanes = false
    /// `pic_width_in_luma_samples`
    package var width = 8
    /// `pic_height_in_luma_samples`
    package var height = 8
    package var conformanceWindow: CroppingOffsets?
    package var bitDepthLumaMinus8 = 0
    package var bitDepthChromaMinus8 = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&chromaFormatIDC, "chroma_format_idc", 0...3)
        if chromaFormatIDC == 3 { try coder.flag(&hasSeparateColourPlanes) }
        try coder.ue(&width, "pic_width_in_luma_samples", 1...0xffff)
        try coder.ue(&height, "pic_height_in_luma_samples", 1...0xffff)
        try coder.optional(&conformanceWindow)
        try coder.ue(&bitDepthLumaMinus8, "bit_depth_luma_minus8", 0...8)
        try coder.ue(&bitDepthChromaMinus8, "bit_depth_chroma_minus8", 0...8)
    }
}

/// Sizes of coding and transform blocks (H.265 7.3.2.2).
package struct HEVCBlockSizes: SyntaxStructure {
    package var log2MinCodingBlockMinus3 = 0
    package var log2DiffMaxMinCodingBlock = 0
    package var log2MinTransformBlockMinus2 = 0
    package var log2DiffMaxMinTransformBlock = 0
    package var maxTransformHierarchyDepthInter = 0
    package var maxTransformHierarchyDepthIntra = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        // A coding tree block has 16 to 64 samples a side (A.3), a transform block at most 32.
        try coder.ue(&log2MinCodingBlockMinus3, "log2_min_luma_coding_block_size_minus3", 0...3)
        try coder.ue(
            &log2DiffMaxMinCodingBlock, "log2_diff_max_min_luma_coding_block_size", 0...(3 &- log2MinCodingBlockMinus3))
        try coder.ue(&log2MinTransformBlockMinus2, "log2_min_luma_transform_block_size_minus2", 0...3)
        try coder.ue(
            &log2DiffMaxMinTransformBlock, "log2_diff_max_min_luma_transform_block_size",
            0...(3 &- log2MinTransformBlockMinus2))
        try coder.ue(&maxTransformHierarchyDepthInter, "max_transform_hierarchy_depth_inter", 0...4)
        try coder.ue(&maxTransformHierarchyDepthIntra, "max_transform_hierarchy_depth_intra", 0...4)
    }

    /// CtbLog2SizeY, 3 to 6.
    package var log2CTB: Int { log2MinCodingBlockMinus3 &+ 3 &+ log2DiffMaxMinCodingBlock }
    /// MinCbSizeY: the picture's width and height are multiples of it.
    package var minCodingBlock: Int { 1 << (log2MinCodingBlockMinus3 &+ 3) }
}

/// The coding tools that a sequence may use (H.265 7.3.2.2, `scaling_list_enabled_flag` to the PCM parameters).
package struct HEVCSequenceTools: SyntaxStructure {
    /// `scaling_list_enabled_flag`
    package var hasScalingLists = false
    /// `sps_scaling_list_data_present_flag`; if false, the default lists apply.
    package var scalingLists: HEVCScalingListData?
    /// `amp_enabled_flag`
    package var hasAMP = false
    /// `sample_adaptive_offset_enabled_flag`
    package var hasSAO = false
    package var pcm: PCM?

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&hasScalingLists)
        if hasScalingLists { try coder.optional(&scalingLists) }
        try coder.flag(&hasAMP)
        try coder.flag(&hasSAO)
        try coder.optional(&pcm)
    }

    /// `pcm_enabled_flag` and what follows.
    package struct PCM: SyntaxStructure {
        package var bitDepthLumaMinus1 = 7
        package var bitDepthChromaMinus1 = 7
        package var log2MinBlockMinus3 = 0
        package var log2DiffMaxMinBlock = 0
        /// `pcm_loop_filter_disabled_flag`
        package var isLoopFilterDisabled = false

        package init() {}

        package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
            try coder.u(4, &bitDepthLumaMinus1, "pcm_sample_bit_depth_luma_minus1")
            try coder.u(4, &bitDepthChromaMinus1, "pcm_sample_bit_depth_chroma_minus1")
            try coder.ue(&log2MinBlockMinus3, "log2_min_pcm_luma_coding_block_size_minus3", 0...2)
            try coder.ue(&log2DiffMaxMinBlock, "log2_diff_max_min_pcm_luma_coding_block_size", 0...2)
            try coder.flag(&isLoopFilterDisabled)
        }
    }
}
