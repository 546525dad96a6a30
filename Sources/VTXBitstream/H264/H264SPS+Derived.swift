package import VTXMedia

extension H264SPS: SequenceParameterSet {
    /// PicWidthInSamplesL and FrameHeightInMbs * 16 (7.4.2.1.1).
    package var codedSize: PixelSize {
        PixelSize((widthInMacroblocksMinus1 &+ 1) &* 16, (heightInMapUnitsMinus1 &+ 1) &* 16 &* fieldFactor)
    }

    /// 2 - frame_mbs_only_flag
    private var fieldFactor: Int { isFrameMacroblocksOnly ? 1 : 2 }

    /// CropUnitX and CropUnitY (equations 7-19 to 7-22).
    package var cropUnit: PixelSize {
        let unit = ChromaFormat.unit(chromaFormat.chromaFormatIDC)
        return PixelSize(unit.width, unit.height &* fieldFactor)
    }

    package var displaySize: PixelSize { (cropping ?? CroppingOffsets()).cropped(codedSize, unit: cropUnit) }
    package var sampleAspectRatio: Rational? { vui?.aspectRatio?.ratio }
    package var color: ColorDescription { ColorDescription(vui?.videoSignal, vui?.chromaLocation) }
    package var bitDepth: Int { 8 &+ chromaFormat.bitDepthLumaMinus8 }
    package var chroma: ChromaSampling { ChromaFormat.sampling(chromaFormat.chromaFormatIDC) }

    /// A frame has two ticks (E.2.1).
    package var frameRate: Rational? {
        guard let timing = vui?.timing else { return nil }
        let rate = Rational(timing.timeScale, timing.numUnitsInTick &* 2)
        return rate.isPositive ? rate.reduced : nil
    }

    /// `constraint_set0_flag` to `constraint_set5_flag`
    package func constraint(_ index: Int) -> Bool { constraintFlags >> (7 &- index) & 1 == 1 }

    /// MaxDpbFrames of the level and the size (A.3.1 h), 16 for levels that Table A-1 does not have.
    package var maxDecodedFrames: Int {
        let macroblocks = (widthInMacroblocksMinus1 &+ 1) &* (heightInMapUnitsMinus1 &+ 1) &* fieldFactor
        guard let limit = H264Level.maxDpbMacroblocks[levelIDC] else { return 16 }
        return min(16, limit / max(1, macroblocks))
    }

    /// `max_num_reorder_frames`, or what E.2.1 infers without it.
    package var maxReorder: Int {
        if let restriction = vui?.bitstreamRestriction { return restriction.maxNumReorderFrames }
        // Output in decoding order needs no reordering (8.2.1), and the intra profiles have none.
        if pictureOrderCount.type == 2 { return 0 }
        let isIntra = [44, 86, 100, 110, 122, 244].contains(profileIDC) && constraint(3)
        return isIntra ? 0 : maxDecodedFrames
    }
}

/// Levels of Annex A by `level_idc`.
package enum H264Level {
    /// MaxDpbMbs, Table A-1.
    static let maxDpbMacroblocks: [Int: Int] = [
        9: 396, 10: 396, 11: 900, 12: 2376, 13: 2376, 20: 2376, 21: 4752, 22: 8100, 30: 8100, 31: 18000, 32: 20480,
        40: 32768, 41: 32768, 42: 34816, 50: 110_400, 51: 184_320, 52: 184_320, 60: 696_320, 61: 696_320,
        62: 696_320,
    ]
}

extension H264SPS {
    private static let profileNames: [Int: String] = [
        44: "CAVLC 4:4:4 Intra", 66: "Baseline", 77: "Main", 83: "Scalable Baseline", 86: "Scalable High",
        88: "Extended", 100: "High", 110: "High 10", 118: "Multiview High", 122: "High 4:2:2", 128: "Stereo High",
        138: "Multiview Depth High", 139: "Enhanced Multiview Depth High", 244: "High 4:4:4 Predictive",
    ]

    package var profileName: String {
        let name = Self.profileNames[profileIDC] ?? "profile \(profileIDC)"
        return switch profileIDC {
        case 66 where constraint(1): "Constrained Baseline"
        case 110 where constraint(3), 122 where constraint(3): "\(name) Intra"
        case 244 where constraint(3): "High 4:4:4 Intra"
        default: name
        }
    }

    package var profile: VideoProfile? {
        let profiles: [Int: VideoProfile] = [
            66: .baseline, 77: .h264Main, 100: .high, 110: .high10, 122: .high422, 244: .high444,
        ]
        return profiles[profileIDC]
    }

    /// Level 1b is 9, or 11 with a flag in the old profiles (A.3.1, A.3.2).
    package var levelName: String {
        let isOld = [66, 77, 88].contains(profileIDC)
        if levelIDC == 9 || levelIDC == 11 && isOld && constraint(3) { return "1b" }
        return levelIDC % 10 == 0 ? "\(levelIDC / 10)" : "\(levelIDC / 10).\(levelIDC % 10)"
    }
}
