public import VTXMedia

/// The video parameter set of HEVC (H.265 7.3.2.1, semantics in 7.4.3.1).
public struct HEVCVPS: ParameterSetSyntax, ParameterSet {
    /// `TemporalId` of the NAL unit (7.4.2.2).
    public package(set) var temporalID: UInt8 = 0
    /// `vps_video_parameter_set_id`, 0 to 15.
    public package(set) var id = 0
    /// `vps_base_layer_internal_flag`
    package var isBaseLayerInternal = true
    /// `vps_base_layer_available_flag`
    package var isBaseLayerAvailable = true
    /// `vps_max_layers_minus1`, 0 to 62 (7.4.3.1).
    public package(set) var maxLayersMinus1 = 0
    /// `vps_max_sub_layers_minus1`, 0 to 6.
    public package(set) var maxSubLayersMinus1 = 0
    /// `vps_temporal_id_nesting_flag`
    package var isTemporalIDNesting = true
    /// `vps_reserved_0xffff_16bits`
    package var reserved16Bits = 0xffff
    package var profileTierLevel = HEVCProfileTierLevel()
    package var orderings = HEVCSubLayerOrderings()
    package var layerSets = HEVCLayerSets()
    package var timing: HEVCVPSTiming?
    /// `vps_extension_flag`
    package var hasExtension = false
    /// The bits of the extension, and all bits after the last known element.
    package var trailing = RawBits()

    package init() {}

    /// The picture rate, in pictures per second, in lowest terms; nil if there is no timing information.
    public var frameRate: Rational? {
        guard let timing = timing?.timing else { return nil }
        let rate = Rational(timing.timeScale, timing.numUnitsInTick)
        return rate.isPositive ? rate.reduced : nil
    }

    package static let headerByteCount = HEVCNALUnitHeader.byteCount

    package var headerBytes: [UInt8] { HEVCNALUnitHeader(type: .vps, temporalID: temporalID).bytes }

    package mutating func setHeader(_ unit: RawSpan) throws(BitstreamError) {
        temporalID = try HEVCNALUnitHeader(unit).temporalID(of: .vps)
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(4, &id, "vps_video_parameter_set_id")
        try coder.flag(&isBaseLayerInternal)
        try coder.flag(&isBaseLayerAvailable)
        try coder.u(6, &maxLayersMinus1, "vps_max_layers_minus1")
        try coder.subLayers(&maxSubLayersMinus1, "vps_max_sub_layers_minus1")
        try coder.flag(&isTemporalIDNesting)
        try coder.u(16, &reserved16Bits, "vps_reserved_0xffff_16bits")
        try profileTierLevel.code(maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        try orderings.code(maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
        try layerSets.code(with: &coder)
        try codeTiming(with: &coder)
        try coder.flag(&hasExtension)
        try coder.rest(&trailing)
    }

    private mutating func codeTiming<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        var isPresent = timing != nil
        try coder.flag(&isPresent)
        guard isPresent else { return timing = nil }
        var value = timing ?? HEVCVPSTiming()
        try value.code(
            maxSubLayersMinus1: maxSubLayersMinus1, layerSetCount: layerSets.included.count &+ 1, with: &coder)
        timing = value
    }
}

/// `vps_max_layer_id` and the layer sets (H.265 7.3.2.1).
package struct HEVCLayerSets: SyntaxStructure {
    /// `vps_max_layer_id`
    package var maxLayerID = 0
    /// `layer_id_included_flag` of the sets from 1 on, `maxLayerID` + 1 flags each.
    package var included: [[Bool]] = []

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(6, &maxLayerID, "vps_max_layer_id")
        try coder.count(of: &included, "vps_num_layer_sets_minus1", 0...1023, filler: [])
        for set in included.indices {
            included[set].fit(maxLayerID &+ 1, filler: false)
            for layer in included[set].indices { try coder.flag(&included[set][layer]) }
        }
    }
}

/// `vps_timing_info_present_flag` and what follows.
package struct HEVCVPSTiming: Sendable, Hashable {
    package var timing = HEVCTimingInfo()
    package var hrds: [HRD] = []

    package struct HRD: Sendable, Hashable {
        package var layerSetIndex = 0
        /// `cprms_present_flag`; the first entry always has the common parameters.
        package var hasCommonParameters = true
        package var parameters = HEVCHRD()

        package init() {}
    }

    package init() {}

    mutating func code<Coder: SyntaxCoder>(
        maxSubLayersMinus1: Int, layerSetCount: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try timing.code(with: &coder)
        try coder.count(of: &hrds, "vps_num_hrd_parameters", 0...layerSetCount, filler: HRD())
        var common: HEVCHRD.Common?
        for index in hrds.indices {
            try coder.ue(&hrds[index].layerSetIndex, "hrd_layer_set_idx", 0...1023)
            if index > 0 { try coder.flag(&hrds[index].hasCommonParameters) }
            // Without parameters of its own, a structure has those of the one before (H.265 7.4.3.1).
            if !hrds[index].hasCommonParameters, let common { hrds[index].parameters.common = common }
            try hrds[index].parameters.code(
                hasCommon: hrds[index].hasCommonParameters, maxSubLayersMinus1: maxSubLayersMinus1, with: &coder)
            common = hrds[index].parameters.common
        }
    }
}

extension HEVCNALUnitHeader {
    /// - Throws: `.invalid` for another type, or for a layer above the base layer, whose parameter sets have another
    ///   syntax.
    func temporalID(of expected: HEVCNALUnitType) throws(BitstreamError) -> UInt8 {
        guard type == expected else { throw .invalid(element: "nal_unit_type", value: Int64(type.rawValue)) }
        guard layerID == 0 else { throw .invalid(element: "nuh_layer_id", value: Int64(layerID)) }
        return temporalID
    }
}

extension SyntaxCoder {
    /// Three bits; 7 is not allowed.
    mutating func subLayers(_ value: inout Int, _ name: StaticString) throws(BitstreamError) {
        try u(3, &value, name)
        guard value <= 6 else { throw .invalid(element: "\(name)", value: Int64(value)) }
    }
}

// What parameter sets of layers above the base say to slice headers (H.265 F.7.3.2): of second views, or transparency.

extension HEVCSPS {
    /// Parses the SPS of a layer. If it takes the picture format from the VPS, as second views do, it gets that of the
    /// base layer. Only the elements up to the block sizes are parsed.
    ///
    /// - Parameter base: The SPS of the base layer.
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    package init(layer unit: RawSpan, base: HEVCSPS?) throws(BitstreamError) {
        let rbsp = EmulationPrevention.remove(from: unit, Self.headerByteCount..<unit.byteCount)
        self.init()
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        var subLayers = 0
        try reader.u(4, &vpsID, "sps_video_parameter_set_id")
        try reader.u(3, &subLayers, "sps_ext_or_max_sub_layers_minus1")
        // MultiLayerExtSpsFlag
        if subLayers == 7 {
            try readExtension(of: base, &reader)
        } else {
            var whole = SyntaxReader(try BitReader(rbsp: rbsp))
            try code(with: &whole)
        }
    }

    private mutating func readExtension(
        of base: HEVCSPS?, _ reader: inout SyntaxReader
    ) throws(BitstreamError) {
        let ownVPS = vpsID
        if let base { self = base }
        vpsID = ownVPS
        var (updatesFormat, formatIndex) = (false, 0)
        try reader.ue(&id, "sps_seq_parameter_set_id", 0...15)
        try reader.flag(&updatesFormat)
        if updatesFormat { try reader.u(8, &formatIndex, "sps_rep_format_idx") }
        try reader.ue(&log2MaxPOCLsbMinus4, "log2_max_pic_order_cnt_lsb_minus4", 0...12)
        try blocks.code(with: &reader)
    }
}

extension HEVCPPS {
    /// Parses the PPS of a layer, which has the syntax of the base layer.
    package init(layer unit: RawSpan) throws(BitstreamError) {
        let rbsp = EmulationPrevention.remove(from: unit, Self.headerByteCount..<unit.byteCount)
        self.init()
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        try code(with: &reader)
    }
}
