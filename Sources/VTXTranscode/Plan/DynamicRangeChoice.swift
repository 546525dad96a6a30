import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides whether HDR is kept, and the color description of the output.
struct DynamicRangeChoice {
    var color: ColorDescription
    var metadata: HDRMetadata
    var toneMapping: ToneMapping?

    /// - Parameter color: The color description of the source.
    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ color: ColorDescription, _ notes: inout PlanNotes
    ) -> DynamicRangeChoice {
        let metadata = source.shownHDRMetadata
        noteMeaningless(metadata, source.extraDataKinds, &notes)
        let kept = DynamicRangeChoice(color: color, metadata: metadata)
        guard color.isHDR else {
            if request.dynamicRange == .sdr {
                notes.decide("dynamic range", "unchanged", because: "the source is not marked as HDR")
            }
            return kept
        }
        guard request.dynamicRange == .sdr else {
            notes.decide(
                "dynamic range", "\(color.rangeName), kept",
                because: "players map it to their display; \(option: .dynamicRange, "sdr") converts it permanently")
            return kept
        }
        return mapped(color, metadata, source, &notes)
    }

    /// Converts HDR to SDR.
    private static func mapped(
        _ color: ColorDescription, _ metadata: HDRMetadata, _ source: Source, _ notes: inout PlanNotes
    ) -> DynamicRangeChoice {
        let mapping = ToneMapping(source: color, metadata: metadata)
        notes.decide(
            "dynamic range", "SDR, from \(color.rangeName) up to \(mapping.peakLuminance) cd/m2", because: "requested"
        )
        let lost = lost(metadata, source.extraDataKinds)
        notes.note(
            .conversionHDR,
            "\(color.rangeName) becomes SDR with BT.709's colors\(lost.isEmpty ? "" : "; it has no place for \(list(lost))")"
        )
        var mapped = ColorDescription.bt709
        mapped.chromaLocation = color.chromaLocation
        return DynamicRangeChoice(color: mapped, metadata: HDRMetadata(), toneMapping: mapping)
    }

    /// Returns the pixel format that preserves the source's samples; 8 bits for SDR.
    func samples(of source: PixelFormat) -> PixelFormat {
        guard toneMapping != nil else { return source }
        var samples = source
        samples.bitDepth = 8
        return samples
    }

    /// Notes HDR metadata that cannot be used, which is treated as missing.
    private static func noteMeaningless(_ metadata: HDRMetadata, _ kinds: Set<String>, _ notes: inout PlanNotes) {
        func note(_ what: String, _ isThere: Bool, _ kind: String) {
            guard !isThere, kinds.contains(where: { $0.hasPrefix(kind) }) else { return }
            notes.note(
                .sourceHDRMetadata,
                "the source's \(what) is incomplete or invalid and was ignored")
        }
        note("mastering display", metadata.masteringDisplay != nil, "Mastering display")
        note("content light level", metadata.contentLightLevel != nil, "Content light level")
    }

    private static func lost(_ metadata: HDRMetadata, _ kinds: Set<String>) -> [String] {
        [
            metadata.masteringDisplay == nil ? nil : "the mastering display",
            metadata.contentLightLevel == nil ? nil : "the content light level",
            kinds.contains(where: \.isHDR10Plus) ? "HDR10+" : nil,
            kinds.contains(where: \.isDolbyVision) ? "Dolby Vision" : nil,
        ].compactMap(\.self)
    }
}

extension Source {
    /// The kinds of side data of the stream and its first frames.
    var extraDataKinds: Set<String> { sample.sideDataKinds.union(video.sideDataKinds) }
}

/// The libavutil and libavcodec names of side data.
extension String {
    var isHDR10Plus: Bool { contains("SMPTE2094-40") || contains("HDR10+") }
    var isDolbyVision: Bool { contains("DOVI") || contains("Dolby Vision") }
}
