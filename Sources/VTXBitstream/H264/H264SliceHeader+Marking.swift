/// What stands between the order of a picture and `dec_ref_pic_marking()` (H.264 7.3.3), read over.
extension H264SliceHeader {
    /// Whether a picture that is no IDR picture has the operation 5 (7.3.3.3, 7.4.3.3).
    static func resetsOrder(
        _ type: SliceType, _ pps: H264PPS, _ sps: H264SPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> Bool {
        if pps.hasRedundantPicCount { try coder.skip("redundant_pic_cnt") }
        if type == .b { try coder.skipFlag() }
        let counts = try activeCounts(type, pps, &coder)
        for _ in counts { try skipListModification(&coder) }
        if type == .p && pps.hasWeightedPrediction || type == .b && pps.weightedBipredIDC == 1 {
            try skipWeights(counts, hasChroma: sps.hasChromaArray, &coder)
        }
        return try readMarking(&coder)
    }

    /// `num_ref_idx_l0_active_minus1` and that of list 1, as many as the type has lists.
    private static func activeCounts(
        _ type: SliceType, _ pps: H264PPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> [Int] {
        guard type > .i else { return [] }
        var counts = [pps.numRefIdxL0DefaultActiveMinus1]
        if type == .b { counts.append(pps.numRefIdxL1DefaultActiveMinus1) }
        var overrides = false
        try coder.flag(&overrides)
        guard overrides else { return counts }
        for list in counts.indices { try coder.ue(&counts[list], "num_ref_idx_active_minus1", 0...31) }
        return counts
    }

    /// `ref_pic_list_modification()` of one list (7.3.3.1).
    private static func skipListModification(_ coder: inout SyntaxReader) throws(BitstreamError) {
        var isModified = false
        try coder.flag(&isModified)
        while isModified {
            var operation = 0
            try coder.ue(&operation, "modification_of_pic_nums_idc", 0...3)
            guard operation != 3 else { return }
            try coder.skip("abs_diff_pic_num_minus1")
        }
    }

    /// `pred_weight_table()` (7.3.3.2).
    private static func skipWeights(
        _ counts: [Int], hasChroma: Bool, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        try coder.skip("luma_log2_weight_denom")
        if hasChroma { try coder.skip("chroma_log2_weight_denom") }
        for count in counts {
            for _ in 0...count {
                try skipWeight(numbers: 2, &coder)
                if hasChroma { try skipWeight(numbers: 4, &coder) }
            }
        }
    }

    /// Weights and offsets after a flag; their sign does not change their length.
    private static func skipWeight(numbers: Int, _ coder: inout SyntaxReader) throws(BitstreamError) {
        var isPresent = false
        try coder.flag(&isPresent)
        for _ in 0..<(isPresent ? numbers : 0) { try coder.skip("weight") }
    }

    private static func readMarking(_ coder: inout SyntaxReader) throws(BitstreamError) -> Bool {
        var (isAdaptive, operation, resets) = (false, 0, false)
        try coder.flag(&isAdaptive)
        guard isAdaptive else { return false }
        repeat {
            try coder.ue(&operation, "memory_management_control_operation", 0...6)
            resets = resets || operation == 5
            if [1, 2, 3, 4, 6].contains(operation) { try coder.skip("memory_management_control_operand") }
            if operation == 3 { try coder.skip("long_term_frame_idx") }
        } while operation != 0
        return resets
    }
}

extension H264SPS {
    /// ChromaArrayType is not 0 (7.4.2.1.1).
    fileprivate var hasChromaArray: Bool {
        chromaFormat.chromaFormatIDC != 0 && !chromaFormat.hasSeparateColourPlanes
    }
}

extension SyntaxReader {
    fileprivate mutating func skip(_ name: StaticString) throws(BitstreamError) {
        var ignored = 0
        try ue(&ignored, name)
    }

    fileprivate mutating func skipFlag() throws(BitstreamError) {
        var ignored = false
        try flag(&ignored)
    }
}
