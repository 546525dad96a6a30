import VTXFFmpeg
import VTXMedia
import VTXTask

/// Which metadata of single pictures goes from the source's into the output's.
///
/// No encoder writes it: HEVC's goes around decoder and encoder as it is, by the pictures' times. A raw stream has none,
/// and filters of the caller's may change times and colors.
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
            notes.decide("HDR10+", "kept", because: "each picture keeps the message that it has in the source")
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
            because: "each picture keeps the metadata that it has in the source")
    }

    private func hasByTime(_ encoding: VideoEncoding) -> Bool {
        encoding.codec == .hevc && source.video.codecName == "hevc" && !source.demuxer.takesFrameRate
    }

    /// Wherever the video is PQ, for the messages may begin after the first frames.
    private func takesHDR10Plus(_ encoding: VideoEncoding) -> Bool {
        hasByTime(encoding) && (kinds.contains(where: \.isHDR10Plus) || encoding.encoder.color.isPQ)
    }

    // MARK: Dolby Vision

    /// Why it is not kept; nil where it is.
    ///
    /// Its metadata maps the values of ten-bit samples, and the part of the picture without black bars is in the source's
    /// pixels: what changes either makes it wrong.
    private func dolbyVisionLoss(_ encoding: VideoEncoding) -> Message? {
        guard let dolbyVision = source.video.dolbyVision, hasByTime(encoding) else {
            return encoding.codec == .hevc
                ? "as the source's container does not describe it" : "which only HEVC keeps"
        }
        guard dolbyVision.profile == 8 else { return "as profile \(dolbyVision.name) has a layer that is not encoded" }
        if request.filters != nil || picture.filters != nil { return "as filters change what it describes" }
        if makesPictures(encoding.filter.deinterlacing) { return "as deinterlacing makes new pictures" }
        if encoding.encoder.pixelFormat.bitDepth != 10 { return "as it describes samples of 10 bits" }
        if !isWhole { return "as it describes pictures of \(source.sample.shape.size)" }
        if request.hasRenditions { return "as renditions of other sizes cannot have it" }
        return ContainerRules.of(container).holdsDolbyVision ? nil : "as \(container) does not say that it is there"
    }

    private func makesPictures(_ deinterlacing: FilterConfiguration.Deinterlacing) -> Bool {
        switch deinterlacing {
        case .never: false
        case .flaggedFrames: source.sample.shape.isInterlaced
        case .everyFrame, .everyField, .telecine: true
        }
    }

    /// Each sample stays in its place.
    private var isWhole: Bool {
        picture.rotation.crop == nil && picture.rotation.orientation == .upright
            && picture.size == source.sample.shape.size
    }
}
