/// Video usability information (H.264 E.1.1, semantics in E.2.1).
package struct H264VUI: SyntaxStructure {
    package var aspectRatio: AspectRatioInfo?
    package var overscan: OverscanInfo?
    package var videoSignal: VideoSignalType?
    package var chromaLocation: ChromaLocationInfo?
    package var timing: H264TimingInfo?
    /// For all NAL units (type II conformance).
    package var nalHRD: H264HRD?
    /// For VCL NAL units and filler data (type I conformance).
    package var vclHRD: H264HRD?
    /// `low_delay_hrd_flag`; coded only with an HRD.
    package var isLowDelayHRD = false
    /// `pic_struct_present_flag`: picture timing SEI messages describe the fields.
    package var hasPicStruct = false
    package var bitstreamRestriction: H264BitstreamRestriction?

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.optional(&aspectRatio)
        try coder.optional(&overscan)
        try coder.optional(&videoSignal)
        try coder.optional(&chromaLocation)
        try coder.optional(&timing)
        try coder.optional(&nalHRD)
        try coder.optional(&vclHRD)
        if nalHRD != nil || vclHRD != nil { try coder.flag(&isLowDelayHRD) }
        try coder.flag(&hasPicStruct)
        try coder.optional(&bitstreamRestriction)
    }
}

/// `timing_info_present_flag` and what follows; a tick is the duration of a field.
package struct H264TimingInfo: SyntaxStructure {
    package var numUnitsInTick = 0
    package var timeScale = 0
    /// `fixed_frame_rate_flag`
    package var isFixedFrameRate = false

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(32, &numUnitsInTick, "num_units_in_tick")
        try coder.u(32, &timeScale, "time_scale")
        try coder.flag(&isFixedFrameRate)
    }
}

/// `bitstream_restriction_flag` and what follows.
package struct H264BitstreamRestriction: SyntaxStructure {
    package var allowsVectorsOverBoundaries = true
    package var maxBytesPerPicDenom = 2
    package var maxBitsPerMBDenom = 1
    package var log2MaxMVLengthHorizontal = 15
    package var log2MaxMVLengthVertical = 15
    /// `max_num_reorder_frames`: frames that precede another in decoding order and follow it in output order.
    package var maxNumReorderFrames = 0
    /// `max_dec_frame_buffering`: the decoded picture buffer, in frames.
    package var maxDecFrameBuffering = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.flag(&allowsVectorsOverBoundaries)
        try coder.ue(&maxBytesPerPicDenom, "max_bytes_per_pic_denom", 0...16)
        try coder.ue(&maxBitsPerMBDenom, "max_bits_per_mb_denom", 0...16)
        // The first editions allowed 16.
        try coder.ue(&log2MaxMVLengthHorizontal, "log2_max_mv_length_horizontal", 0...16)
        try coder.ue(&log2MaxMVLengthVertical, "log2_max_mv_length_vertical", 0...16)
        try coder.ue(&maxNumReorderFrames, "max_num_reorder_frames", 0...16)
        try coder.ue(&maxDecFrameBuffering, "max_dec_frame_buffering", 0...16)
    }
}

/// Hypothetical reference decoder parameters (H.264 E.1.2).
package struct H264HRD: SyntaxStructure {
    /// One alternative of the coded picture buffer.
    package struct CPB: Sendable, Hashable {
        package var bitRateValueMinus1 = 0
        package var sizeValueMinus1 = 0
        package var isConstantBitRate = false

        package init() {}
    }

    package var bitRateScale = 0
    package var cpbSizeScale = 0
    /// 1 to 32 alternatives.
    package var cpbs = [CPB()]
    package var initialCPBRemovalDelayLengthMinus1 = 23
    package var cpbRemovalDelayLengthMinus1 = 23
    package var dpbOutputDelayLengthMinus1 = 23
    package var timeOffsetLength = 24

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.count(of: &cpbs, "cpb_cnt_minus1", 0...31, bias: 1, filler: CPB())
        try coder.u(4, &bitRateScale, "bit_rate_scale")
        try coder.u(4, &cpbSizeScale, "cpb_size_scale")
        for index in cpbs.indices {
            try coder.ue(&cpbs[index].bitRateValueMinus1, "bit_rate_value_minus1")
            try coder.ue(&cpbs[index].sizeValueMinus1, "cpb_size_value_minus1")
            try coder.flag(&cpbs[index].isConstantBitRate)
        }
        try coder.u(5, &initialCPBRemovalDelayLengthMinus1, "initial_cpb_removal_delay_length_minus1")
        try coder.u(5, &cpbRemovalDelayLengthMinus1, "cpb_removal_delay_length_minus1")
        try coder.u(5, &dpbOutputDelayLengthMinus1, "dpb_output_delay_length_minus1")
        try coder.u(5, &timeOffsetLength, "time_offset_length")
    }
}
