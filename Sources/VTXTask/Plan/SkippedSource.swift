package import VTXMedia

extension TranscodeRequest {
    /// The sources that are skipped. Without a choice, the same `replace` again leaves alone what it has replaced: each
    /// encoding loses quality.
    private var skipped: SkippedCodecs { skippedCodecs ?? (replacesSource ? .auto : .nothing) }

    /// Returns why the source is skipped, as far as that needs no plan; nil if it is not.
    ///
    /// - Parameter codecName: That of the source.
    package func reasonToSkip(_ codecName: String) -> String? { Self.reason(codecName, skippedWithoutPlan) }

    /// Whether the codec of a source alone may decide that it is skipped.
    package var maySkip: Bool { !skippedWithoutPlan.isEmpty }

    /// The codecs of sources that are skipped whatever the plan is.
    private var skippedWithoutPlan: [String] {
        switch skipped {
        case .auto: needsPlanToSkip ? [] : [codec?.rawValue].compactMap(\.self)
        case .only(let names): names
        }
    }

    /// Options with which only the encoding can change, so that no plan is needed.
    private static let harmless: Set<OptionName> = [
        .codec, .quality, .preset, .hardware, .device, .lowPower, .asyncDepth, .parallel, .segments, .failOnFallback,
        .failOnDowngrade, .overwrite, .replace, .skipCodecs, .maxSizeRatio, .verify,
    ]

    /// Whether the pictures may change, which the plan says.
    private var needsPlanToSkip: Bool { !Self.harmless.isSuperset(of: settings.keys) }

    fileprivate var skipsOwnCodec: Bool { skipped == .auto }

    fileprivate static func reason(_ codecName: String, _ skipped: [String]) -> String? {
        skipped.contains(codecName) ? TranscodePlan.reasonToSkip(codec: codecName) : nil
    }
}

extension TranscodePlan {
    /// Returns why the source is skipped; nil if it is not.
    package func reasonToSkip(_ request: TranscodeRequest) -> String? {
        let codecName = video.source.codecName
        if let reason = request.reasonToSkip(codecName) { return reason }
        guard request.skipsOwnCodec, let codec = video.encoding?.codec,
            changesOnlyEncoding(Set(request.settings.keys))
        else { return nil }
        return TranscodeRequest.reason(codecName, [codec.rawValue])
    }

    /// Returns the reason for which a source is skipped that has this codec.
    package static func reasonToSkip(codec: String) -> String {
        "the video is \(VideoCodec(rawValue: codec)?.description ?? codec) already"
    }

    /// Settings that change or shorten the video or its bit rate, and are not part of the filter plan.
    private static let wishes: Set<OptionName> = [
        .burnSubtitles, .bitrate, .maxBitrate, .target, .targetSize, .start, .duration,
    ]

    /// Whether only the video's encoding changes: its frames stay the same, and no rate or size is requested.
    ///
    /// - Parameter given: The names of the settings that are given.
    package func changesOnlyEncoding(_ given: Set<OptionName>) -> Bool {
        guard ladder == nil, let filter = video.encoding?.filter, Self.wishes.isDisjoint(with: given) else {
            return false
        }
        let isWhole = filter.size == video.source.size && filter.crop == nil && filter.frameRate == nil
        let isDimmed = filter.toneMapping?.meaning(of: video.source.color).isHDR == true
        let isPlain = !isDimmed && filter.custom == nil && filter.denoising == nil
        return isWhole && isPlain && filter.sharpening == nil && filter.orientation == .upright
            && [.never, .flaggedFrames].contains(filter.deinterlacing)
    }
}
