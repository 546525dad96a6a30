/// A `VAProcFilterType`.
package struct VideoProcFilter: RawConstant {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let noiseReduction = VideoProcFilter(rawValue: 1)
    package static let deinterlacing = VideoProcFilter(rawValue: 2)
    package static let sharpening = VideoProcFilter(rawValue: 3)
    package static let toneMapping = VideoProcFilter(rawValue: 8)

    /// `VAProcFilter*` of va_vpp.h.
    package static let table: [UInt32: String] = [
        1: "NoiseReduction", 2: "Deinterlacing", 3: "Sharpening", 4: "ColorBalance", 5: "SkinToneEnhancement",
        6: "TotalColorCorrection", 7: "HVSNoiseReduction", 8: "HighDynamicRangeToneMapping", 9: "3DLUT",
    ]
}

/// A `VAProcDeinterlacingType`; higher values are better.
package struct DeinterlacingAlgorithm: RawConstant, Comparable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let bob = DeinterlacingAlgorithm(rawValue: 1)
    package static let weave = DeinterlacingAlgorithm(rawValue: 2)
    package static let motionAdaptive = DeinterlacingAlgorithm(rawValue: 3)
    package static let motionCompensated = DeinterlacingAlgorithm(rawValue: 4)

    /// `VAProcDeinterlacing*` of va_vpp.h.
    package static let table: [UInt32: String] = [
        1: "Bob", 2: "Weave", 3: "MotionAdaptive", 4: "MotionCompensated",
    ]

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// `VA_TONE_MAPPING_*`.
package struct ToneMappings: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let hdrToHDR = ToneMappings(rawValue: 0x1)
    package static let hdrToSDR = ToneMappings(rawValue: 0x2)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "HDR_TO_HDR"), (0x2, "HDR_TO_SDR"), (0x4, "HDR_TO_EDR"), (0x8, "SDR_TO_HDR"),
    ]
}

/// The angles of `VA_ROTATION_*`, clockwise, as in `VAProcPipelineCaps.rotation_flags`.
package struct Rotations: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let quarter = Rotations(rawValue: 1 << 1)
    package static let half = Rotations(rawValue: 1 << 2)
    package static let threeQuarters = Rotations(rawValue: 1 << 3)

    package static let table: [(bits: UInt32, name: String)] = [
        (1 << 0, "NONE"), (1 << 1, "90"), (1 << 2, "180"), (1 << 3, "270"),
    ]
}

/// `VA_MIRROR_*`.
package struct Mirrors: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let horizontal = Mirrors(rawValue: 0x1)
    package static let vertical = Mirrors(rawValue: 0x2)

    package static let table: [(bits: UInt32, name: String)] = [(0x1, "HORIZONTAL"), (0x2, "VERTICAL")]
}

/// `VA_BLEND_*`.
package struct Blends: NamedFlags {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let globalAlpha = Blends(rawValue: 0x1)
    package static let premultipliedAlpha = Blends(rawValue: 0x2)

    package static let table: [(bits: UInt32, name: String)] = [
        (0x1, "GLOBAL_ALPHA"), (0x2, "PREMULTIPLIED_ALPHA"), (0x10, "LUMA_KEY"),
    ]
}
