/// `slice_header()` (H.264 7.3.3, semantics in 7.4.3) up to `slice_qp_delta`: what distinguishes pictures, their
/// display order, and their quantizer.
public struct H264SliceHeader: Sendable, Hashable {
    /// `nal_ref_idc` of the NAL unit (7.4.1).
    public package(set) var refIDC: UInt8
    /// IdrPicFlag: whether `nal_unit_type` is 5 (7.4.1).
    public package(set) var isIDR: Bool
    /// `first_mb_in_slice`
    public package(set) var firstMacroblock = 0
    /// `slice_type` (Table 7-6).
    public package(set) var type = SliceType.i
    /// `pic_parameter_set_id`
    public package(set) var ppsID = 0
    /// `frame_num`
    public package(set) var frameNum = 0
    /// `field_pic_flag`
    public package(set) var isField = false
    /// `bottom_field_flag`
    public package(set) var isBottomField = false
    /// `idr_pic_id`; nil in other pictures.
    public package(set) var idrPicID: Int?
    /// `pic_order_cnt_type` of the SPS.
    public package(set) var pocType = 0
    /// `pic_order_cnt_lsb`
    public package(set) var pocLsb = 0
    /// `delta_pic_order_cnt_bottom`
    public package(set) var deltaPOCBottom = 0
    /// `delta_pic_order_cnt`
    public package(set) var deltaPOC = [0, 0]
    /// Whether `memory_management_control_operation` is 5, which clears all references and restarts the order counts.
    /// False if the header ends before.
    public package(set) var resetsOrder = false
    /// SliceQPY (equation 7-30), the initial quantizer of the slice; nil if the header ends before it.
    public package(set) var quantizer: Int?

    /// - Throws: `.truncated`; `.invalid` for an element out of range or an unknown parameter set.
    public init(_ unit: RawSpan, _ sets: H264ParameterSets) throws(BitstreamError) {
        let header = try H264NALUnitHeader(unit)
        guard header.type.isSlice else { throw .invalid(element: "nal_unit_type", value: Int64(header.type.rawValue)) }
        (refIDC, isIDR) = (header.refIDC, header.type == .idrSlice)
        let rbsp = EmulationPrevention.remove(from: unit, 1..<unit.byteCount, limit: Self.maxByteCount)
        var coder = SyntaxReader(BitReader(rbsp))
        try coder.ue(&firstMacroblock, "first_mb_in_slice", 0...139_263)
        var code = 0
        try coder.ue(&code, "slice_type", 0...9)
        type = SliceType(h264: code)
        try coder.ue(&ppsID, "pic_parameter_set_id", 0...255)
        guard let pps = sets.pps[ppsID] else { throw .invalid(element: "pic_parameter_set_id", value: Int64(ppsID)) }
        guard let sps = sets.sps[pps.spsID] else {
            throw .invalid(element: "seq_parameter_set_id", value: Int64(pps.spsID))
        }
        try readPicture(sps, &coder)
        try readOrder(sps.pictureOrderCount, hasBottom: pps.hasBottomFieldPicOrder && !isField, &coder)
        try? readRest(pps, sps, &coder)
    }

    /// More than the elements read here need, including weight tables.
    private static let maxByteCount = 2048

    private mutating func readPicture(_ sps: H264SPS, _ coder: inout SyntaxReader) throws(BitstreamError) {
        var plane = 0
        if sps.chromaFormat.hasSeparateColourPlanes { try coder.u(2, &plane, "colour_plane_id") }
        try coder.u(sps.log2MaxFrameNumMinus4 &+ 4, &frameNum, "frame_num")
        if !sps.isFrameMacroblocksOnly { try coder.flag(&isField) }
        if isField { try coder.flag(&isBottomField) }
        guard isIDR else { return }
        var id = 0
        try coder.ue(&id, "idr_pic_id", 0...0xffff)
        idrPicID = id
    }

    private mutating func readOrder(
        _ order: H264PictureOrderCount, hasBottom: Bool, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        let any = -0x7fff_ffff...0x7fff_ffff
        pocType = order.type
        if pocType == 0 {
            try coder.u(order.log2MaxLsbMinus4 &+ 4, &pocLsb, "pic_order_cnt_lsb")
            if hasBottom { try coder.se(&deltaPOCBottom, "delta_pic_order_cnt_bottom", any) }
        } else if pocType == 1 && !order.isDeltaAlwaysZero {
            try coder.se(&deltaPOC[0], "delta_pic_order_cnt[0]", any)
            if hasBottom { try coder.se(&deltaPOC[1], "delta_pic_order_cnt[1]", any) }
        }
    }

    /// Whether two slices belong to different primary coded pictures (7.4.1.2.4).
    public func begins(after previous: H264SliceHeader) -> Bool {
        frameNum != previous.frameNum || ppsID != previous.ppsID || isField != previous.isField
            || isBottomField != previous.isBottomField || isIDR != previous.isIDR || idrPicID != previous.idrPicID
            || (refIDC == 0) != (previous.refIDC == 0) || pocType != previous.pocType || pocLsb != previous.pocLsb
            || deltaPOCBottom != previous.deltaPOCBottom || deltaPOC != previous.deltaPOC
    }
}

/// The parameter sets of a stream so far, by id.
public struct H264ParameterSets: Sendable {
    /// The sequence parameter sets by `seq_parameter_set_id`.
    public private(set) var sps: [Int: H264SPS] = [:]
    /// The picture parameter sets by `pic_parameter_set_id`.
    public private(set) var pps: [Int: H264PPS] = [:]

    /// Creates an empty collection.
    public init() {}

    /// Inserts an SPS or a PPS. Ignores other NAL units, and sets that cannot be parsed.
    ///
    /// - Returns: true if the set is new or changed.
    @discardableResult
    public mutating func insert(_ unit: RawSpan) -> Bool {
        guard let type = try? H264NALUnitHeader(unit).type else { return false }
        if type == .sps, let set = try? H264SPS(nalUnit: unit) {
            return sps.updateValue(set, forKey: set.id) != set
        }
        // How many scaling lists there are depends on the SPS.
        guard type == .pps, let spsID = try? H264PPS.spsID(of: unit) else { return false }
        let idc = sps[spsID]?.chromaFormat.chromaFormatIDC ?? 1
        guard let set = try? H264PPS(nalUnit: unit, chromaFormatIDC: idc) else { return false }
        return pps.updateValue(set, forKey: set.id) != set
    }
}

/// The elements between the picture order and `slice_qp_delta` (H.264 7.3.3), mostly skipped.
extension H264SliceHeader {
    fileprivate mutating func readRest(
        _ pps: H264PPS, _ sps: H264SPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        if pps.hasRedundantPicCount { try coder.skip("redundant_pic_cnt") }
        if type == .b { try coder.skipFlag() }
        let counts = try Self.activeCounts(type, pps, &coder)
        for _ in counts { try Self.skipListModification(&coder) }
        if type == .p && pps.hasWeightedPrediction || type == .b && pps.weightedBipredIDC == 1 {
            try Self.skipWeights(counts, hasChroma: sps.hasChromaArray, &coder)
        }
        if refIDC > 0 { try readMarking(&coder) }
        if pps.isCABAC, type != .i { try coder.skip("cabac_init_idc") }
        var delta = 0
        try coder.se(&delta, "slice_qp_delta", -87...87)
        quantizer = 26 &+ pps.picInitQPMinus26 &+ delta
    }

    /// `num_ref_idx_l0_active_minus1` and the same of list 1, as many as the slice type has lists.
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

    /// Weights and offsets after a flag. Their sign does not affect their length.
    private static func skipWeight(numbers: Int, _ coder: inout SyntaxReader) throws(BitstreamError) {
        var isPresent = false
        try coder.flag(&isPresent)
        for _ in 0..<(isPresent ? numbers : 0) { try coder.skip("weight") }
    }

    /// `dec_ref_pic_marking()` (7.3.3.3), which may contain operation 5 in a picture other than IDR (7.4.3.3).
    private mutating func readMarking(_ coder: inout SyntaxReader) throws(BitstreamError) {
        var (isAdaptive, operation) = (false, 0)
        if isIDR { try coder.skipFlag() }
        try coder.flag(&isAdaptive)
        guard isAdaptive, !isIDR else { return }
        repeat {
            try coder.ue(&operation, "memory_management_control_operation", 0...6)
            resetsOrder = resetsOrder || operation == 5
            if [1, 2, 3, 4, 6].contains(operation) { try coder.skip("memory_management_control_operand") }
            if operation == 3 { try coder.skip("long_term_frame_idx") }
        } while operation != 0
    }
}

extension H264SPS {
    /// Whether ChromaArrayType is not 0 (7.4.2.1.1).
    fileprivate var hasChromaArray: Bool {
        chromaFormat.chromaFormatIDC != 0 && !chromaFormat.hasSeparateColourPlanes
    }
}
