/// `slice_segment_header()` (H.265 7.3.6.1, semantics in 7.4.7.1) up to `slice_qp_delta`.
public struct HEVCSliceSegmentHeader: Sendable, Hashable {
    /// `nal_unit_type` (Table 7-1).
    public package(set) var nalUnitType: HEVCNALUnitType
    /// `first_slice_segment_in_pic_flag`
    public package(set) var isFirstInPicture = false
    /// `slice_pic_parameter_set_id`
    public package(set) var ppsID = 0
    /// `dependent_slice_segment_flag`: type and order are those of the previous segment.
    public package(set) var isDependent = false
    /// `slice_segment_address`, in coding tree blocks.
    public package(set) var address = 0
    /// nil in dependent segments.
    public package(set) var type: SliceType?
    /// `slice_pic_order_cnt_lsb`; 0 in IDR pictures, nil in dependent segments, and in IDR pictures above the base
    /// layer, where the VPS determines whether it is present.
    public package(set) var pocLsb: Int?
    /// SliceQpY (equation 7-54), the initial quantizer of the slice; nil in dependent segments, and if the header ends
    /// before it.
    public package(set) var quantizer: Int?

    /// - Throws: `.truncated`; `.invalid` for an element out of range or an unknown parameter set.
    public init(_ unit: RawSpan, _ sets: HEVCParameterSets) throws(BitstreamError) {
        let header = try HEVCNALUnitHeader(unit)
        guard header.type.isSlice else { throw .invalid(element: "nal_unit_type", value: Int64(header.type.rawValue)) }
        nalUnitType = header.type
        let rbsp = EmulationPrevention.remove(from: unit, 2..<unit.byteCount, limit: Self.maxByteCount)
        var coder = SyntaxReader(BitReader(rbsp))
        try coder.flag(&isFirstInPicture)
        var ignored = false
        if nalUnitType.isIRAP { try coder.flag(&ignored) }
        try coder.ue(&ppsID, "slice_pic_parameter_set_id", 0...63)
        guard let pps = sets.pps(ppsID, layer: header.layerID) else {
            throw .invalid(element: "slice_pic_parameter_set_id", value: Int64(ppsID))
        }
        guard let sps = sets.sps(pps.spsID, layer: header.layerID) else {
            throw .invalid(element: "pps_seq_parameter_set_id", value: Int64(pps.spsID))
        }
        try readAddress(pps, sps, &coder)
        if !isDependent {
            try readPicture(pps, sps, &coder)
            if header.layerID == 0 { quantizer = try? readQuantizer(pps, sps, &coder) }
        }
        if header.layerID > 0, nalUnitType.isIDR { pocLsb = nil }
    }

    /// More than the elements read here need, including weight tables.
    private static let maxByteCount = 2048

    private mutating func readAddress(
        _ pps: HEVCPPS, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        guard !isFirstInPicture else { return }
        if pps.hasDependentSliceSegments { try coder.flag(&isDependent) }
        // Ceil(Log2(PicSizeInCtbsY))
        let width = Int.bitWidth &- (sps.codingTreeBlockCount &- 1).leadingZeroBitCount
        try coder.u(width, &address, "slice_segment_address")
    }

    private mutating func readPicture(
        _ pps: HEVCPPS, _ sps: HEVCSPS, _ coder: inout SyntaxReader
    ) throws(BitstreamError) {
        var (ignored, code, plane, isOutput) = (0, 0, 0, true)
        try coder.u(pps.extraSliceHeaderBits, &ignored, "slice_reserved_flag")
        try coder.ue(&code, "slice_type", 0...2)
        type = SliceType(hevc: code)
        if pps.hasOutputFlag { try coder.flag(&isOutput) }
        if sps.format.hasSeparateColourPlanes { try coder.u(2, &plane, "colour_plane_id") }
        var lsb = 0
        if !nalUnitType.isIDR { try coder.u(sps.log2MaxPOCLsbMinus4 &+ 4, &lsb, "slice_pic_order_cnt_lsb") }
        pocLsb = lsb
    }
}

/// The parameter sets of a stream so far, by id.
public struct HEVCParameterSets: Sendable {
    /// The video parameter sets by `vps_video_parameter_set_id`.
    public private(set) var vps: [Int: HEVCVPS] = [:]
    /// The sequence parameter sets of the base layer by `sps_seq_parameter_set_id`.
    public private(set) var sps: [Int: HEVCSPS] = [:]
    /// The picture parameter sets of the base layer by `pps_pic_parameter_set_id`.
    public private(set) var pps: [Int: HEVCPPS] = [:]
    private var layerSPS: [Int: HEVCSPS] = [:]
    private var layerPPS: [Int: HEVCPPS] = [:]

    /// Creates an empty collection.
    public init() {}

    /// Inserts a VPS, an SPS or a PPS. Ignores other NAL units, and sets that cannot be parsed.
    ///
    /// - Returns: true if the set is new or changed.
    @discardableResult
    public mutating func insert(_ unit: RawSpan) -> Bool {
        guard let header = try? HEVCNALUnitHeader(unit) else { return false }
        let type = header.type
        guard header.layerID == 0 else { return insert(layer: unit, type) }
        if type == .vps, let set = try? HEVCVPS(nalUnit: unit) { return vps.updateValue(set, forKey: set.id) != set }
        if type == .sps, let set = try? HEVCSPS(nalUnit: unit) { return sps.updateValue(set, forKey: set.id) != set }
        if type == .pps, let set = try? HEVCPPS(nalUnit: unit) { return pps.updateValue(set, forKey: set.id) != set }
        return false
    }

    private mutating func insert(layer unit: RawSpan, _ type: HEVCNALUnitType) -> Bool {
        if type == .sps, let set = try? layerSPS(unit) { return layerSPS.updateValue(set, forKey: set.id) != set }
        if type == .pps, let set = try? HEVCPPS(layer: unit) { return layerPPS.updateValue(set, forKey: set.id) != set }
        return false
    }

    /// Parses an SPS above the base layer, which may depend on that of the base layer.
    public func layerSPS(_ unit: RawSpan) throws(BitstreamError) -> HEVCSPS {
        try HEVCSPS(layer: unit, base: sps.values.min { $0.id < $1.id })
    }

    /// Pictures of a layer may use the sets of lower layers.
    func pps(_ id: Int, layer: UInt8) -> HEVCPPS? { layer > 0 ? layerPPS[id] ?? pps[id] : pps[id] }
    func sps(_ id: Int, layer: UInt8) -> HEVCSPS? { layer > 0 ? layerSPS[id] ?? sps[id] : sps[id] }
}
