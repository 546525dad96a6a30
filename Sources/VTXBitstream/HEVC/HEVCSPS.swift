public import VTXMedia

/// The sequence parameter set of HEVC (H.265 7.3.2.2, semantics in 7.4.3.2), of the base layer.
public struct HEVCSPS: ParameterSetSyntax, ParameterSet {
    /// `TemporalId` of the NAL unit (7.4.2.2).
    public package(set) var temporalID: UInt8 = 0
    /// `sps_video_parameter_set_id`, 0 to 15.
    public package(set) var vpsID = 0
    /// `sps_max_sub_layers_minus1`, 0 to 6.
    public package(set) var maxSubLayersMinus1 = 0
    /// `sps_temporal_id_nesting_flag`
    package var isTemporalIDNesting = true
    package var profileTierLevel = HEVCProfileTierLevel()
    /// `sps_seq_parameter_set_id`, 0 to 15.
    public package(set) var id = 0
    package var format = HEVCPictureFormat()
    /// `log2_max_pic_order_cnt_lsb_minus4`, 0 to 12.
    package var log2MaxPOCLsbMinus4 = 4
    package var orderings = HEVCSubLayerOrderings()
    package var blocks = HEVCBlockSizes()
    package var tools = HEVCSequenceTools()
    package var shortTermRefPicSets: [HEVCShortTermRefPicSet] = []
    package var longTermRefPics: HEVCLongTermRefPics?
    /// `sps_temporal_mvp_enabled_flag`
    package var hasTemporalMVP = false
    /// `strong_intra_smoothing_enabled_flag`
    package var hasStrongIntraSmoothing = false
    package var vui: HEVCVUI?
    /// `sps_extension_present_flag`
    package var hasExtension = false
    /// The flags (range, multilayer, 3D, SCC) and bits of the extensions, and all bits after the last known element.
    package var trailing = RawBits()

    package init() {}

    package static let headerByteCount = HEVCNALUnitHeader.byteCount

    package var headerBytes: [UInt8] { HEVCNALUnitHeader(type: .sps, temporalID: temporalID).bytes }

    package mutating func setHeader(_ unit: RawSpan) throws(BitstreamError) {
        temporalID = try HEVCNALUnitHeader(unit).temporalID(of: .sps)
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(4, &vpsID, "sps_video_parameter_set_id")
        try coder.subLayers(&maxSubLayersMinus1, "sps_max_sub_layers_minus1")
        try coder.flag(&isTemporalIDNesting)
        try profileTierLevel.code(maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        try coder.ue(&id, "sps_seq_parameter_set_id", 0...15)
        try format.code(with: &coder)
        try coder.ue(&log2MaxPOCLsbMinus4, "log2_max_pic_order_cnt_lsb_minus4", 0...12)
        try orderings.code(maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        try blocks.code(with: &coder)
        try tools.code(with: &coder)
        try codeReferences(with: &coder)
        try coder.flag(&hasTemporalMVP)
        try coder.flag(&hasStrongIntraSmoothing)
        try codeVUI(with: &coder)
        try coder.flag(&hasExtension)
        try coder.rest(&trailing)
    }

    private mutating func codeReferences<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.count(
            of: &shortTermRefPicSets, "num_short_term_ref_pic_sets", 0...64, filler: HEVCShortTermRefPicSet())
        var previous: HEVCShortTermRefPicSet.DeltaPOCs?
        for index in shortTermRefPicSets.indices {
            previous = try shortTermRefPicSets[index].code(after: previous, with: &coder)
        }
        var isPresent = longTermRefPics != nil
        try coder.flag(&isPresent)
        guard isPresent else { return longTermRefPics = nil }
        var pictures = longTermRefPics ?? HEVCLongTermRefPics()
        try pictures.code(lsbWidth: log2MaxPOCLsbMinus4 &+ 4, with: &coder)
        longTermRefPics = pictures
    }

    private mutating func codeVUI<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        var isPresent = vui != nil
        try coder.flag(&isPresent)
        guard isPresent else { return vui = nil }
        var value = vui ?? HEVCVUI()
        try value.code(maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        vui = value
    }
}

/// `lt_ref_pic_poc_lsb_sps` and `used_by_curr_pic_lt_sps_flag` (H.265 7.3.2.2).
package struct HEVCLongTermRefPics: Sendable, Hashable {
    package struct Picture: Sendable, Hashable {
        package var pocLsb = 0
        package var isUsed = false

        package init() {}
    }

    package var pictures: [Picture] = []

    package init() {}

    mutating func code<Coder: SyntaxCoder>(lsbWidth: Int, with coder: inout Coder) throws(BitstreamError) {
        try coder.count(of: &pictures, "num_long_term_ref_pics_sps", 0...32, filler: Picture())
        for index in pictures.indices {
            try coder.u(lsbWidth, &pictures[index].pocLsb, "lt_ref_pic_poc_lsb_sps")
            try coder.flag(&pictures[index].isUsed)
        }
    }
}

extension HEVCSPS: SequenceParameterSet {
    /// `pic_width_in_luma_samples` and `pic_height_in_luma_samples` (7.4.3.2.1).
    public var codedSize: PixelSize { PixelSize(format.width, format.height) }
    /// SubWidthC and SubHeightC, the units of the conformance window.
    package var cropUnit: PixelSize { ChromaFormat.unit(format.chromaFormatIDC) }

    /// `conformance_window_flag` and the offsets after it (7.4.3.2.1), applied to the coded size.
    public var displaySize: PixelSize {
        (format.conformanceWindow ?? CroppingOffsets()).cropped(codedSize, unit: cropUnit)
    }

    /// `aspect_ratio_idc`, `sar_width` and `sar_height` (E.3.1).
    public var sampleAspectRatio: Rational? { vui?.aspectRatio?.ratio }
    /// `video_signal_type_present_flag` and `chroma_loc_info_present_flag`, and what follows them (E.3.1).
    public var color: ColorDescription { ColorDescription(vui?.videoSignal, vui?.chromaLocation) }
    /// BitDepthY: `bit_depth_luma_minus8` + 8 (7.4.3.2.1).
    public var bitDepth: Int { 8 &+ format.bitDepthLumaMinus8 }
    /// `chroma_format_idc` (7.4.3.2.1, Table 6-1).
    public var chroma: ChromaSampling { ChromaFormat.sampling(format.chromaFormatIDC) }

    /// One tick is one picture (E.3.1). If pictures are fields, there are half as many frames.
    public var frameRate: Rational? {
        guard let vui, let timing = vui.timing else { return nil }
        let rate = Rational(timing.timeScale, timing.numUnitsInTick &* (vui.isFieldSequence ? 2 : 1))
        return rate.isPositive ? rate.reduced : nil
    }

    /// `sps_max_num_reorder_pics` of the highest sub-layer (7.4.3.2.1).
    public var maxReorder: Int { orderings.highest.maxNumReorderPics }

    /// PicSizeInCtbsY
    package var codingTreeBlockCount: Int {
        let side = 1 << blocks.log2CTB
        return ((format.width &+ side &- 1) / side) &* ((format.height &+ side &- 1) / side)
    }
}

extension HEVCSPS {
    private static let profileNames: [Int: String] = [
        1: "Main", 2: "Main 10", 3: "Main Still Picture", 5: "High Throughput", 6: "Multiview Main",
        7: "Scalable Main", 8: "3D Main", 9: "Screen-Extended Main", 10: "Scalable Format Range Extensions",
        11: "High Throughput Screen-Extended",
    ]

    /// The name in Annex A, by `general_profile_idc` and the constraint flags (Table A.2).
    public var profileName: String {
        let idc = profileTierLevel.general.idc
        return idc == 4 ? formatRangeName : Self.profileNames[idc] ?? "profile \(idc)"
    }

    /// The name follows from the constraint flags (Table A.2): `Main 4:2:2 10`.
    private var formatRangeName: String {
        let limits = profileTierLevel.general
        let depth = limits.constraint(6) ? "" : limits.constraint(5) ? "10" : limits.constraint(4) ? "12" : "16"
        let sampling = limits.constraint(8) ? "" : limits.constraint(7) ? "4:2:2" : "4:4:4"
        let parts = [
            limits.constraint(9) ? "Monochrome" : "Main", sampling, depth, limits.constraint(10) ? "Intra" : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// nil for profiles that vtx does not encode.
    public var profile: VideoProfile? {
        let profiles: [String: VideoProfile] = [
            "Main": .hevcMain, "Main 10": .main10, "Main 4:2:2 10": .main422x10, "Main 4:4:4": .main444x8,
            "Main 4:4:4 10": .main444x10,
        ]
        return profileTierLevel.general.idc <= 4 ? profiles[profileName] : nil
    }

    /// `general_level_idc` is thirty times the level's number (7.4.4).
    public var levelName: String {
        let tenths = profileTierLevel.levelIDC / 3
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
