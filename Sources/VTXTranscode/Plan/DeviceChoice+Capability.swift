import VTXFFmpeg
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

extension DeviceChoice {
    /// What the device says of the encoder that is wanted; nil where it has none.
    func row(for encoder: EncoderConfiguration) -> EncoderCapability? { matrix.encoder(encoder.codec, encoder.profile) }

    /// - Throws: what the device does not take, and what it would.
    func check(_ encoder: EncoderConfiguration) throws(TranscodeError) {
        guard let row = row(for: encoder) else {
            let allowed = matrix.encoders.filter { $0.codec == encoder.codec }.map(\.profile.name)
            throw TranscodeError(
                .encoderProfile,
                "there is no encoder for \(encoder.codec) \(encoder.profile.name)",
                hint: "it encodes: \(list(allowed))")
        }
        guard row.input(like: encoder.pixelFormat) != nil else {
            throw TranscodeError(.pixelFormat, "the encoder takes no \(encoder.pixelFormat)")
        }
        guard row.holds(encoder.size) else {
            throw TranscodeError(
                .size, "the encoder for \(encoder.codec) takes no \(encoder.size)",
                hint: "allowed: \(row.minSize) to \(row.maxSize); \(option: .size) chooses another")
        }
    }
}

extension EncoderCapability {
    /// Things in the source that this encoder does not write.
    func noteLosses(
        of source: Source, _ range: DynamicRangeChoice, _ container: Container, _ notes: inout PlanNotes
    ) {
        let kinds = source.extraDataKinds
        let keepsStatic = keepsHDRMetadata || ContainerRules.of(container).holdsHDRMetadata
        if range.toneMapping == nil { noteDynamicLosses(source, keepsStatic && !range.metadata.isEmpty, &notes) }
        if !keepsHDRMetadata, !range.metadata.isEmpty { noteStaticLosses(container, &notes) }
        if !keepsCaptions, kinds.contains(where: { $0.contains("A53") || $0.contains("ATSC") }) {
            notes.note(.downgradeCaptions, "closed captions in the video are lost: this encoder cannot write them")
        }
    }

    private func noteDynamicLosses(_ source: Source, _ keepsStatic: Bool, _ notes: inout PlanNotes) {
        let kinds = source.extraDataKinds
        if kinds.contains(where: \.isHDR10Plus) {
            let kept = keepsStatic ? "; HDR10's static metadata is kept" : ""
            notes.note(.downgradeHDR10Plus, "HDR10+ metadata of each scene is lost\(kept)")
        }
        if kinds.contains(where: \.isDolbyVision) {
            notes.note(.downgradeDolbyVision, Self.dolbyVisionLoss(profile: source.video.dolbyVisionProfile))
        }
    }

    /// Profile 5's samples are no YCbCr, and mean nothing without the metadata.
    static func dolbyVisionLoss(profile: Int?) -> Message {
        profile == 5
            ? "Dolby Vision metadata is lost, without which profile 5's colors are wrong: green and purple"
            : "Dolby Vision metadata is lost; the base layer is kept"
    }

    private func noteStaticLosses(_ container: Container, _ notes: inout PlanNotes) {
        let what =
            ContainerRules.of(container).holdsHDRMetadata
            ? "goes into the container only" : "is lost, since \(container) has no place for it"
        notes.note(.downgradeHDRMetadata, "HDR10 metadata \(what): this encoder cannot write it into the stream")
    }
}
