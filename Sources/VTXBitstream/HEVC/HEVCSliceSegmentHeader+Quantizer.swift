/// The elements between the picture order and `slice_qp_delta` (H.265 7.3.6.1), mostly skipped.
extension HEVCSliceSegmentHeader {
    /// SliceQpY (7.4.7.1).
    mutating func readQuantizer(
        _ pps: HEVCPPS, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> Int {
        let references = try Self.readReferences(isIDR: nalUnitType.isIDR, sps, &coder)
        if sps.tools.hasSAO {
            try coder.skipFlag()
            if sps.hasChromaArray { try coder.skipFlag() }
        }
        if let type, type > .i { try Self.skipPrediction(type, references, pps, sps, &coder) }
        var delta = 0
        try coder.se(&delta, "slice_qp_delta", -99...77)
        return 26 &+ pps.quantization.initQPMinus26 &+ delta
    }

    /// The references of a slice.
    private struct References {
        /// NumPicTotalCurr (equation 7-55).
        var count = 0
        /// `slice_temporal_mvp_enabled_flag`
        var hasTemporalMVP = false
    }

    private static func readReferences(
        isIDR: Bool, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> References {
        var references = References()
        guard !isIDR else { return references }
        references.count = try readShortTermSet(sps, &coder)
        if let longTerm = sps.longTermRefPics { references.count &+= try readLongTerm(longTerm, sps, &coder) }
        if sps.hasTemporalMVP { try coder.flag(&references.hasTemporalMVP) }
        return references
    }

    /// - Returns: the number of pictures of the set that the slice may refer to.
    private static func readShortTermSet(
        _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> Int {
        let sets = sps.shortTermRefPicSets
        var (isOfSPS, index) = (false, 0)
        try coder.flag(&isOfSPS)
        guard isOfSPS else {
            var set = HEVCShortTermRefPicSet()
            let reference = try set.readInSlice(after: sets, with: &coder)
            return set.usedCount(after: reference)
        }
        try coder.u(Self.bitCount(sets.count), &index, "short_term_ref_pic_set_idx")
        guard sets.indices.contains(index) else {
            throw .invalid(element: "short_term_ref_pic_set_idx", value: Int64(index))
        }
        return sets[index].usedCount(after: sets[index].isPredicted ? sets.deltaPOCs(of: index &- 1) : nil)
    }

    /// - Returns: the number of long-term pictures that the slice may refer to.
    private static func readLongTerm(
        _ known: HEVCLongTermRefPics, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> Int {
        var (fromSPS, own, used) = (0, 0, 0)
        if !known.pictures.isEmpty { try coder.ue(&fromSPS, "num_long_term_sps", 0...known.pictures.count) }
        try coder.ue(&own, "num_long_term_pics", 0...16)
        for picture in 0..<(fromSPS &+ own) {
            var (index, isUsed, hasMsb) = (0, false, false)
            if picture < fromSPS {
                try coder.u(Self.bitCount(known.pictures.count), &index, "lt_idx_sps")
                isUsed = known.pictures.indices.contains(index) && known.pictures[index].isUsed
            } else {
                try coder.u(sps.log2MaxPOCLsbMinus4 &+ 4, &index, "poc_lsb_lt")
                try coder.flag(&isUsed)
            }
            used &+= isUsed ? 1 : 0
            try coder.flag(&hasMsb)
            if hasMsb { try coder.skip("delta_poc_msb_cycle_lt") }
        }
        return used
    }

    private static func skipPrediction(
        _ type: SliceType, _ references: References, _ pps: HEVCPPS, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        let counts = try activeCounts(type, pps, &coder)
        if pps.hasListsModification, references.count > 1 {
            for count in counts { try skipListModification(count, bitCount(references.count), &coder) }
        }
        if type == .b { try coder.skipFlag() }
        if pps.hasCABACInit { try coder.skipFlag() }
        if references.hasTemporalMVP { try skipCollocated(counts, &coder) }
        if type == .p ? pps.hasWeightedPrediction : pps.hasWeightedBiprediction {
            try skipWeights(counts, hasChroma: sps.hasChromaArray, &coder)
        }
        try coder.skip("five_minus_max_num_merge_cand")
    }

    /// `num_ref_idx_l0_active_minus1` and the same of list 1, as many as the slice type has lists.
    private static func activeCounts(
        _ type: SliceType, _ pps: HEVCPPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) -> [Int] {
        var counts = [pps.numRefIdxL0DefaultActiveMinus1]
        if type == .b { counts.append(pps.numRefIdxL1DefaultActiveMinus1) }
        var overrides = false
        try coder.flag(&overrides)
        guard overrides else { return counts }
        for list in counts.indices { try coder.ue(&counts[list], "num_ref_idx_active_minus1", 0...14) }
        return counts
    }

    /// `ref_pic_lists_modification()` of one list (7.3.6.2).
    private static func skipListModification(
        _ count: Int, _ width: Int, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        var (isModified, entry) = (false, 0)
        try coder.flag(&isModified)
        for _ in 0..<(isModified ? count &+ 1 : 0) { try coder.u(width, &entry, "list_entry") }
    }

    private static func skipCollocated(_ counts: [Int], _ coder: inout SyntaxReader) throws(BitstreamError) {
        var isFromList0 = true
        if counts.count > 1 { try coder.flag(&isFromList0) }
        if counts[isFromList0 ? 0 : 1] > 0 { try coder.skip("collocated_ref_idx") }
    }

    /// `pred_weight_table()` (7.3.6.3) of a single layer, whose references all have other picture order counts.
    private static func skipWeights(
        _ counts: [Int], hasChroma: Bool, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        try coder.skip("luma_log2_weight_denom")
        if hasChroma { try coder.skip("delta_chroma_log2_weight_denom") }
        for count in counts {
            var luma = [Bool](repeating: false, count: count &+ 1)
            var chroma = luma
            for index in luma.indices { try coder.flag(&luma[index]) }
            if hasChroma { for index in chroma.indices { try coder.flag(&chroma[index]) } }
            for index in luma.indices {
                // Weights and offsets; their sign does not change their length.
                for _ in 0..<((luma[index] ? 2 : 0) &+ (chroma[index] ? 4 : 0)) { try coder.skip("weight") }
            }
        }
    }

    /// Ceil(Log2(count)): the number of bits of an index.
    private static func bitCount(_ count: Int) -> Int {
        count > 1 ? Int.bitWidth &- (count &- 1).leadingZeroBitCount : 0
    }
}

extension HEVCSPS {
    /// Whether ChromaArrayType is not 0 (7.4.3.2.1).
    fileprivate var hasChromaArray: Bool { format.chromaFormatIDC != 0 && !format.hasSeparateColourPlanes }
}
