package import VTXMedia

extension HEVCSPS: SequenceParameterSet {
    package var codedSize: PixelSize { PixelSize(format.width, format.height) }
    /// SubWidthC and SubHeightC, the steps of the conformance window.
    package var cropUnit: PixelSize { ChromaFormat.unit(format.chromaFormatIDC) }

    package var displaySize: PixelSize {
        (format.conformanceWindow ?? CroppingOffsets()).cropped(codedSize, unit: cropUnit)
    }

    package var sampleAspectRatio: Rational? { vui?.aspectRatio?.ratio }
    package var color: ColorDescription { ColorDescription(vui?.videoSignal, vui?.chromaLocation) }
    package var bitDepth: Int { 8 &+ format.bitDepthLumaMinus8 }
    package var chroma: ChromaSampling { ChromaFormat.sampling(format.chromaFormatIDC) }

    /// One tick a picture (E.3.1); half as many frames where pictures are fields.
    package var frameRate: Rational? {
        guard let vui, let timing = vui.timing else { return nil }
        let rate = Rational(timing.timeScale, timing.numUnitsInTick &* (vui.isFieldSequence ? 2 : 1))
        return rate.isPositive ? rate.reduced : nil
    }

    package var maxReorder: Int { orderings.highest.maxNumReorderPics }

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

    package var profileName: String {
        let idc = profileTierLevel.general.idc
        return idc == 4 ? formatRangeName : Self.profileNames[idc] ?? "profile \(idc)"
    }

    /// The name is in the constraint flags (Table A.2): `Main 4:2:2 10`.
    private var formatRangeName: String {
        let limits = profileTierLevel.general
        let depth = limits.constraint(6) ? "" : limits.constraint(5) ? "10" : limits.constraint(4) ? "12" : "16"
        let sampling = limits.constraint(8) ? "" : limits.constraint(7) ? "4:2:2" : "4:4:4"
        let parts = [
            limits.constraint(9) ? "Monochrome" : "Main", sampling, depth, limits.constraint(10) ? "Intra" : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    package var profile: VideoProfile? {
        let profiles: [String: VideoProfile] = [
            "Main": .hevcMain, "Main 10": .main10, "Main 4:2:2 10": .main422x10, "Main 4:4:4": .main444x8,
            "Main 4:4:4 10": .main444x10,
        ]
        return profileTierLevel.general.idc <= 4 ? profiles[profileName] : nil
    }

    package var levelName: String {
        let tenths = profileTierLevel.levelIDC / 3
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
