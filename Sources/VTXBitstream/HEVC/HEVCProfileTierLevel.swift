/// `profile_tier_level()` (H.265 7.3.3, semantics in 7.4.4).
package struct HEVCProfileTierLevel: Sendable, Hashable {
    package var general = HEVCProfile()
    /// `general_level_idc`: thirty times the level's number.
    package var levelIDC = 0
    /// The levels of the lower sub-layers, from the lowest.
    package var subLayers: [SubLayer] = []
    /// `reserved_zero_2bits`, all of them, kept unchanged.
    package var reservedBits = 0

    package struct SubLayer: Sendable, Hashable {
        package var profile: HEVCProfile?
        package var levelIDC: Int?

        package init() {}
    }

    package init() {}

    /// `profilePresentFlag` is 1 in every parameter set that is parsed here.
    mutating func code<Coder: SyntaxCoder>(
        maxSubLayersMinus1: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try general.code(with: &coder)
        try coder.u(8, &levelIDC, "general_level_idc")
        subLayers.fit(maxSubLayersMinus1, filler: SubLayer())
        for index in subLayers.indices { try Self.codePresence(&subLayers[index], with: &coder) }
        if maxSubLayersMinus1 > 0 { try coder.u(2 &* (8 &- maxSubLayersMinus1), &reservedBits, "reserved_zero_2bits") }
        for index in subLayers.indices { try Self.codeContent(&subLayers[index], with: &coder) }
    }

    private static func codePresence<Coder: SyntaxCoder>(
        _ layer: inout SubLayer, with coder: inout Coder
    ) throws(BitstreamError) {
        var (hasProfile, hasLevel) = (layer.profile != nil, layer.levelIDC != nil)
        try coder.flag(&hasProfile)
        try coder.flag(&hasLevel)
        layer.profile = hasProfile ? layer.profile ?? HEVCProfile() : nil
        layer.levelIDC = hasLevel ? layer.levelIDC ?? 0 : nil
    }

    private static func codeContent<Coder: SyntaxCoder>(
        _ layer: inout SubLayer, with coder: inout Coder
    ) throws(BitstreamError) {
        if var profile = layer.profile {
            try profile.code(with: &coder)
            layer.profile = profile
        }
        if var level = layer.levelIDC {
            try coder.u(8, &level, "sub_layer_level_idc")
            layer.levelIDC = level
        }
    }
}

/// The 88 bits before a level: profile space to `general_inbld_flag` (H.265 7.3.3).
package struct HEVCProfile: SyntaxStructure {
    package var space = 0
    /// `general_tier_flag`: the high tier.
    package var isHighTier = false
    package var idc = 0
    /// `general_profile_compatibility_flag[0]` in the highest of 32 bits.
    package var compatibilityFlags = 0
    /// 48 bits, from `general_progressive_source_flag` down to `general_inbld_flag`.
    package var constraintFlags = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.u(2, &space, "general_profile_space")
        try coder.flag(&isHighTier)
        try coder.u(5, &idc, "general_profile_idc")
        try coder.u(32, &compatibilityFlags, "general_profile_compatibility_flags")
        try coder.u(48, &constraintFlags, "general_constraint_indicator_flags")
    }

    package func isCompatible(with idc: Int) -> Bool {
        self.idc == idc || (0..<32).contains(idc) && compatibilityFlags >> (31 &- idc) & 1 == 1
    }

    /// Returns one of the 48 flags: 0 is `general_progressive_source_flag`, 4 is the first of the range extensions
    /// (`general_max_12bit_constraint_flag`).
    package func constraint(_ index: Int) -> Bool { constraintFlags >> (47 &- index) & 1 == 1 }
}

/// The decoded picture buffer of one sub-layer (`sps_max_dec_pic_buffering_minus1` and what follows).
package struct HEVCSubLayerOrdering: SyntaxStructure {
    package var maxDecPicBufferingMinus1 = 0
    package var maxNumReorderPics = 0
    package var maxLatencyIncreasePlus1 = 0

    package init() {}

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        try coder.ue(&maxDecPicBufferingMinus1, "max_dec_pic_buffering_minus1", 0...15)
        try coder.ue(&maxNumReorderPics, "max_num_reorder_pics", 0...maxDecPicBufferingMinus1)
        try coder.ue(&maxLatencyIncreasePlus1, "max_latency_increase_plus1")
    }
}

/// The list of orderings in a VPS or SPS (H.265 7.3.2.1, 7.3.2.2).
package struct HEVCSubLayerOrderings: Sendable, Hashable {
    /// `sub_layer_ordering_info_present_flag`; if false, one entry applies to all sub-layers.
    package var isForEach = true
    package var list = [HEVCSubLayerOrdering()]

    package init() {}

    /// The entry of the highest sub-layer, which applies to the whole stream.
    package var highest: HEVCSubLayerOrdering { list.last ?? HEVCSubLayerOrdering() }

    mutating func code<Coder: SyntaxCoder>(
        maxSubLayersMinus1: Int, with coder: inout Coder
    ) throws(BitstreamError) {
        try coder.flag(&isForEach)
        list.fit(isForEach ? maxSubLayersMinus1 &+ 1 : 1, filler: HEVCSubLayerOrdering())
        for index in list.indices { try list[index].code(with: &coder) }
    }
}
