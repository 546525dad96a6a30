package import VTXMedia

extension TranscodePlan {
    /// Returns why the source is skipped; nil if it is not.
    package func reasonToSkip(_ request: TranscodeRequest) -> String? {
        let codecs: [String] =
            switch request.skippedCodecs {
            case .none: []
            case .auto: changesOnlyEncoding(Set(request.settings.keys)) ? [video.encoding?.codec.rawValue ?? ""] : []
            case .only(let names): names
            }
        return codecs.contains(video.source.codecName) ? Self.reasonToSkip(codec: video.source.codecName) : nil
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
