import VTXMedia
import VTXTask

extension JournaledTask {
    /// A part of the plan on which the video and its metadata depend, with the value to show to users.
    private struct Part {
        let name: Message
        let differs: (TranscodePlan, TranscodePlan) -> Bool
        let text: (TranscodePlan) -> String

        init(
            _ name: Message, _ value: @escaping (TranscodePlan) -> some Equatable,
            _ text: @escaping (TranscodePlan) -> String = { _ in "" }
        ) { (self.name, differs, self.text) = (name, { value($0) != value($1) }, text) }
    }

    /// Returns the differences as text: `--size (640x360 then, 1280x720 now)`.
    func differences(to other: JournaledTask) -> [Message] {
        Self.parts.filter { $0.differs(plan, other.plan) }.map { part in
            let (then, now) = (part.text(plan), part.text(other.plan))
            return then == now ? part.name : "\(part.name) (\(then) then, \(now) now)"
        }
    }

    /// Devices are not included: another device may continue.
    private static var parts: [Part] { coding + pictures + filters + ladder + streams + rest }

    /// Returns a part of the encoding settings.
    private static func encoding(
        _ name: Message, _ value: @escaping (VideoEncoding) -> some Equatable,
        _ text: @escaping (VideoEncoding) -> String
    ) -> Part { Part(name, { $0.video.encoding.map(value) }, { $0.video.encoding.map(text) ?? "copied" }) }

    /// Returns a part of the processing.
    private static func filter(
        _ option: OptionName, _ value: @escaping (FilterConfiguration) -> some Equatable,
        _ text: @escaping (FilterConfiguration) -> String
    ) -> Part { encoding("\(option: option)", { value($0.filter) }, { text($0.filter) }) }

    /// Returns a decision as in the plan.
    private static func decided(_ subject: String) -> (TranscodePlan) -> String {
        { $0.decisions.first { $0.subject == subject }?.choice ?? "" }
    }

    private static var coding: [Part] {
        [
            Part("\(option: .format)", \.container) { "\($0.container)" },
            Part("\(option: .fragmented)", \.isFragmented) { $0.isFragmented ? "on" : "off" },
            encoding("\(option: .codec)", \.codec) { "\($0.codec)" },
            encoding("\(option: .profile)", \.encoder.profile) { $0.encoder.profile.name },
            Part(
                "the quality or bit rate", { $0.ladder == nil ? $0.video.encoding?.encoder.rateControl : nil },
                decided("rate")),
            Part("the quality of each part", { $0.video.encoding?.segmentQualities }, decided("rate")),
            encoding("\(option: .preset)", \.encoder.presetText) { $0.encoder.presetText },
            encoding("\(option: .tune)", \.encoder.tuning) { $0.encoder.tuning?.rawValue ?? "none" },
            encoding("\(option: .encoderOptions)", \.encoder.options) {
                $0.encoder.options.isEmpty ? "none" : $0.encoder.options.text
            },
            Part(
                "\(option: .keyFrameInterval)",
                { $0.video.encoding.map { [Double($0.encoder.maxKeyFrameInterval), $0.keyFrameSeconds ?? 0] } },
                decided("key frames")),
            encoding("\(option: .bFrames)", \.encoder.allowsFrameReordering) {
                $0.encoder.allowsFrameReordering ? "on" : "off"
            },
        ]
    }

    private static var pictures: [Part] {
        [
            Part("\(option: .size)", { $0.ladder == nil ? $0.video.encoding?.encoder.size : nil }) {
                ($0.video.encoding?.encoder.size).map { "\($0)" } ?? "copied"
            },
            encoding("the pixel format", \.encoder.pixelFormat) { "\($0.encoder.pixelFormat)" },
            Part(
                "\(option: .frameRate)",
                { [$0.video.frameRate, $0.video.timeBase, $0.video.encoding?.filter.frameRate ?? Rational(0, 1)] },
                decided("frame rate")),
            encoding("the colors", \.encoder.color) {
                let color = $0.encoder.color
                return [color.primaries, color.transfer, color.matrix].map(String.init).joined(separator: "-")
            },
            Part("HDR metadata", { $0.video.encoding?.encoder.hdrMetadata }),
            Part("the 360° mapping", { $0.video.projection }),
            Part("Dolby Vision", { $0.video.encoding?.dolbyVision }),
            Part("the display rotation", \.video.displayMatrix) {
                ($0.video.displayMatrix?.orientation ?? .upright).inDegrees
            },
        ]
    }

    private static var filters: [Part] {
        [
            filter(.crop, \.crop) { $0.crop.map { "\($0.region)" } ?? "none" },
            filter(.rotate, \.orientation) { $0.orientation.inDegrees },
            filter(.scaling, \.scaling) { $0.scaling.rawValue },
            filter(.deinterlace, \.deinterlacing) { $0.deinterlacing.optionValue },
            filter(.dynamicRange, \.toneMapping) { $0.toneMapping == nil ? "as in the source" : "sdr" },
            filter(.filter, { $0.custom?.text ?? "" }) {
                $0.custom.map(\.text).flatMap { $0.isEmpty ? nil : $0 } ?? "none"
            },
            filter(.burnSubtitles, { $0.custom?.subtitles }) { filter in
                filter.custom?.subtitles.map { "\($0.path), stream \($0.streamIndex)" } ?? "none"
            },
            filter(.denoise, \.denoising) { $0.denoising?.rawValue ?? "none" },
            filter(.sharpen, \.sharpening) { $0.sharpening?.rawValue ?? "none" },
            Part("the processing of frames", { $0.video.encoding?.filter.remainder }),
        ]
    }

    private static var ladder: [Part] {
        [
            Part("\(option: .ladder)", { $0.ladder == nil ? [] : $0.encodings.map(Rendition.init) }) { plan in
                let names = plan.ladder?.names ?? []
                let rates = zip(names, plan.encodings).map { "\($0) at \(Rendition($1).rate)" }
                return rates.isEmpty ? "none" : rates.joined(separator: ", ")
            },
            Part("\(option: .segmentDuration)", { $0.ladder?.segmentSeconds }) {
                $0.ladder.map { "\($0.segmentSeconds.thousandths) s" } ?? "none"
            },
            Part("the playlists", { $0.ladder.map { [$0.writesHLS, $0.writesDASH] } }, decided("playlists")),
        ]
    }

    /// What distinguishes a rendition of a ladder from the others.
    private struct Rendition: Hashable {
        var size: PixelSize
        var rateControl: RateControl

        init(_ encoding: VideoEncoding) { (size, rateControl) = (encoding.encoder.size, encoding.encoder.rateControl) }

        var rate: String {
            if case .bitrate(let average, _) = rateControl { "\(average / 1000)k" } else { "\(size)" }
        }
    }

    private static var streams: [Part] {
        [
            streams("\(option: .audio)") { $0 == .audio }, streams("\(option: .subtitleStreams)") { $0 == .subtitle },
            streams("the other streams") { $0 != .audio && $0 != .subtitle },
        ]
    }

    private static func streams(_ name: Message, where isMeant: @escaping (StreamKind) -> Bool) -> Part {
        Part(
            name,
            { plan in
                plan.streams.filter { isMeant($0.source.kind) }.map {
                    "\($0.source.index) \($0.action) \($0.outputIndex ?? -1) \($0.source.metadata) "
                        + "\($0.source.disposition.names)"
                }
            },
            { plan in
                let kept = plan.outputStreams.filter { isMeant($0.source.kind) && $0.action != .encodeVideo }
                return kept.isEmpty ? "none" : kept.map { "\($0.source.label): \($0.detail)" }.joined(separator: ", ")
            })
    }

    private static var rest: [Part] {
        [
            Part(
                "\(option: .start) and \(option: .duration)", { [$0.timestamps.start, $0.timestamps.end] },
                \.timestamps.words),
            // With a start the offset follows from it.
            Part("\(option: .timestamps)", { $0.timestamps.start == nil ? $0.timestamps.offset : nil }) {
                $0.timestamps.offset.ticks == 0 ? "source" : "zero"
            },
            Part("\(option: .chapters)", \.chapters) { "\($0.chapters.count)" },
            Part("\(option: .metadata)", \.metadata) { counted($0.metadata.count, "tag", "tags") },
        ]
    }
}

extension FilterConfiguration {
    /// What has no option of its own.
    fileprivate var remainder: FilterConfiguration {
        var others = self
        // The encoder has the same.
        (others.size, others.pixelFormat, others.color) = (PixelSize(0, 0), .nv12, .unspecified)
        (others.frameRate, others.timeBase) = (nil, Rational(0, 1))
        (others.crop, others.custom, others.denoising, others.sharpening, others.toneMapping) = (
            nil, nil, nil, nil, nil
        )
        (others.orientation, others.scaling, others.deinterlacing) = (.upright, .fill, .never)
        return others
    }
}

extension FilterConfiguration.Deinterlacing {
    /// The value of the option.
    fileprivate var optionValue: String {
        let policy: DeinterlacePolicy =
            switch self {
            case .never: .off
            case .flaggedFrames: .auto
            case .everyFrame: .on
            case .everyField: .field
            case .telecine: .telecine
            }
        return policy.rawValue
    }
}

extension StreamPlan {
    /// What becomes of it, with the settings that users choose.
    fileprivate var detail: String {
        guard case .convertAudio(let settings) = action else { return summary }
        let rate = settings.bitrate.map { " \($0 / 1000)k" } ?? ""
        let loudness = settings.loudness.map { " at \($0) LUFS" } ?? ""
        return "\(summary) \(settings.channelLayout)\(rate)\(loudness)"
    }
}

extension OutputRange {
    fileprivate var words: String {
        if isWhole { return "all" }
        return "from \(start ?? 0) s" + (end.map { " to \($0) s" } ?? "")
    }
}
