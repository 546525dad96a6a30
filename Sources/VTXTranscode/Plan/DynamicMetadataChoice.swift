import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides which per-frame metadata is carried from the source to the output.
///
/// No encoder writes it: the metadata of HEVC is carried past decoder and encoder unchanged, by the frames' timestamps.
/// Raw streams have none, and custom filters may change timestamps and colors.
struct DynamicMetadataChoice {
    private let request: TranscodeRequest
    private let source: Source
    private let picture: PictureChoice
    private let container: Container
    private var kinds: Set<String> { source.extraDataKinds }

    init(_ request: TranscodeRequest, _ source: Source, _ picture: PictureChoice, _ container: Container) {
        (self.request, self.source, self.picture, self.container) = (request, source, picture, container)
    }

    func apply(to encoding: inout VideoEncoding, _ notes: inout PlanNotes) {
        // SDR has no place for it, and that is said with the conversion.
        guard picture.dynamicRange.toneMapping == nil else { return }
        encoding.keepsHDR10Plus = request.filters == nil && takesHDR10Plus(encoding)
        if encoding.keepsHDR10Plus, kinds.contains(where: \.isHDR10Plus) {
            notes.decide("HDR10+", "kept", because: "each frame keeps the message that it has in the source")
        }
        guard kinds.contains(where: \.isDolbyVision) else { return }
        if let loss = dolbyVisionLoss(encoding) {
            return notes.note(
                .downgradeDolbyVision, "Dolby Vision metadata is lost, \(loss); the base layer is kept")
        }
        encoding.dolbyVision = source.video.dolbyVision.map { dolbyVision in
            DolbyVision(
                profile: dolbyVision.profile, compatibility: dolbyVision.compatibility,
                level: DolbyVision.level(of: encoding.encoder.size, rate: encoding.encoder.frameRate))
        }
        notes.decide(
            "Dolby Vision", "profile \(encoding.dolbyVision?.name ?? "8"), kept",
            because: "each frame keeps the metadata that it has in the source")
    }

    private func hasByTime(_ encoding: VideoEncoding) -> Bool {
        encoding.codec == .hevc && source.video.codecName == "hevc" && !source.demuxer.takesFrameRate
    }

    /// Whether HDR10+ is kept. This applies to any PQ video, because messages may begin after the first frames.
    private func takesHDR10Plus(_ encoding: VideoEncoding) -> Bool {
        hasByTime(encoding) && (kinds.contains(where: \.isHDR10Plus) || encoding.encoder.color.isPQ)
    }

    // MARK: Dolby Vision

    /// Returns why Dolby Vision is not kept; nil if it is.
    ///
    /// Its metadata maps 10-bit values and refers to the active area in pixels of the source: a change of either
    /// invalidates it.
    private func dolbyVisionLoss(_ encoding: VideoEncoding) -> Message? {
        guard let dolbyVision = source.video.dolbyVision, hasByTime(encoding) else {
            return encoding.codec == .hevc
                ? "as the source's container does not describe it" : "which only HEVC keeps"
        }
        guard dolbyVision.profile == 8 else { return "as profile \(dolbyVision.name) has a layer that is not encoded" }
        if request.filters != nil || picture.filters != nil { return "as filters change what it describes" }
        if makesPictures(encoding.filter.deinterlacing) { return "as deinterlacing creates new frames" }
        if encoding.encoder.pixelFormat.bitDepth != 10 { return "as it describes 10-bit samples" }
        if !isWhole { return "as it describes pictures of \(source.sample.shape.size)" }
        if request.hasRenditions { return "as renditions of other sizes cannot have it" }
        return ContainerRules.of(container).holdsDolbyVision ? nil : "because \(container) cannot signal it"
    }

    private func makesPictures(_ deinterlacing: FilterConfiguration.Deinterlacing) -> Bool {
        switch deinterlacing {
        case .never: false
        case .flaggedFrames: source.sample.shape.isInterlaced
        case .everyFrame, .everyField, .telecine: true
        }
    }

    /// Whether each sample stays in its position.
    private var isWhole: Bool {
        picture.rotation.crop == nil && picture.rotation.orientation == .upright
            && picture.size == source.sample.shape.size
    }
}
