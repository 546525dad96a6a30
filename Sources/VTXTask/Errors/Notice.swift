package import VTXMedia

/// Information for the user that does not end the transcode.
package struct Notice: Sendable, Hashable {
    package var kind: NoticeKind
    package var message: Message

    package init(_ kind: NoticeKind, _ message: Message) {
        self.kind = kind
        self.message = message
    }

    package var category: NoticeKind.Category { kind.category }
    /// Stable, for programs: `downgrade.bitDepth`.
    package var code: String { kind.rawValue }
}

extension Notice {
    package static let unmarkedFields = Notice(
        .downgradeInterlacing,
        "the frames stay interlaced, but are marked as progressive in the output: only H.264 in software, at the "
            + "source's size, can contain fields")
}

extension Notice: Codable {
    private enum Key: CodingKey {
        case kind
        case code
        case message
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decode(NoticeKind.self, forKey: .code), try container.decode(Message.self, forKey: .message))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(category, forKey: .kind)
        try container.encode(kind, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}

/// A notice among records of other types, such as events: its type next to its keys.
struct NoticeRecord: Encodable {
    let notice: Notice

    private enum Key: CodingKey { case type }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("notice", forKey: .type)
        try notice.encode(to: encoder)
    }
}

/// All notices, by the codes that programs see. Codes are stable; new ones may be added.
package enum NoticeKind: String, Sendable, Hashable, CaseIterable, Codable {
    case downgradeBitDepth = "downgrade.bitDepth"
    case downgradeChroma = "downgrade.chroma"
    case downgradeAlpha = "downgrade.alpha"
    case downgradeLayers = "downgrade.layers"
    case downgradeSize = "downgrade.size"
    case downgradeRotation = "downgrade.rotation"
    case downgradeProjection = "downgrade.projection"
    case downgradePrograms = "downgrade.programs"
    case downgradeCaptions = "downgrade.captions"
    case downgradeHDRMetadata = "downgrade.hdrMetadata"
    case downgradeHDR10Plus = "downgrade.hdr10plus"
    case downgradeDolbyVision = "downgrade.dolbyVision"
    case downgradeAudio = "downgrade.audio"
    case downgradeSubtitleStyle = "downgrade.subtitleStyle"
    case downgradeLongCue = "downgrade.longCue"
    case downgradeGlyph = "downgrade.glyph"
    case downgradeStream = "downgrade.stream"
    case downgradeLateStream = "downgrade.lateStream"
    case downgradeDisposition = "downgrade.disposition"
    case downgradeMetadata = "downgrade.metadata"
    case downgradeChapters = "downgrade.chapters"
    case downgradeChange = "downgrade.change"
    case downgradeInterlacing = "downgrade.interlacing"
    case downgradeLanguage = "downgrade.language"

    case conversionAudio = "conversion.audio"
    case conversionSubtitle = "conversion.subtitle"
    case conversionRGB = "conversion.rgb"
    case conversionRotation = "conversion.rotation"
    case conversionHDR = "conversion.hdr"
    case conversionDelimiters = "conversion.delimiters"

    case fallbackDevice = "fallback.device"
    case fallbackDecode = "fallback.decode"
    case fallbackFilter = "fallback.filter"
    case fallbackEncode = "fallback.encode"
    case fallbackRateControl = "fallback.rateControl"
    case fallbackFault = "fallback.fault"

    case sourceEndedEarly = "source.endedEarly"
    case sourceTruncated = "source.truncated"
    case sourceUnreadable = "source.unreadable"
    case sourceDamaged = "source.damaged"
    case sourceUndecodable = "source.undecodable"
    case sourceConcealed = "source.concealed"
    case sourceAudio = "source.audio"
    case sourceTimestamps = "source.timestamps"
    case sourceDiscontinuity = "source.discontinuity"
    case sourceHDRMetadata = "source.hdrMetadata"
    case sourceLeading = "source.leading"
    case sourceFrameRate = "source.frameRate"
    case sourcePulldown = "source.pulldown"
    case sourceStrayBytes = "source.strayBytes"
    case sourceOrder = "source.order"
    case sourceNoKeyFrame = "source.noKeyFrame"
    case audioSelection = "audio.selection"
    case subtitleSelection = "subtitle.selection"
    case dataSelection = "data.selection"
    case attachmentSelection = "attachment.selection"
    case videoSelection = "video.selection"
    case subtitlePosition = "subtitle.position"
    case audioBitrate = "audio.bitrate"
    case audioLoudness = "audio.loudness"
    case rangeKeyFrame = "range.keyFrame"
    case rateAverage = "rate.average"
    case rateMaximum = "rate.maximum"
    case rateMissed = "rate.missed"
    case qualityFound = "quality.found"
    case rateFound = "rate.found"
    case outputSpace = "output.space"
    case outputUnchecked = "output.unchecked"
    case outputReceipt = "output.receipt"
    case hardwareMemory = "hardware.memory"
    case hardwareOptions = "hardware.options"
    case hardwareSkipped = "hardware.skipped"
    case hardwareRecovered = "hardware.recovered"
    case parallelReduced = "parallel.reduced"
    case ladderReduced = "ladder.reduced"
    case compareAspect = "compare.aspect"
    case compareRange = "compare.range"
    case captureDropped = "capture.dropped"
    case captureDamaged = "capture.damaged"
    case captureEncoder = "capture.encoder"
    case captureDecoder = "capture.decoder"
    case captureOutput = "capture.output"
    case captureConnection = "capture.connection"
    case captureBitrate = "capture.bitrate"
    case captureSkipped = "capture.skipped"
    case captureInput = "capture.input"
    case captureFormat = "capture.format"
    case captureCamera = "capture.camera"
    case captureMicrophone = "capture.microphone"
    case workerLate = "worker.late"
    case journalResumed = "journal.resumed"
    case journalUnusable = "journal.unusable"
    case journalLeftover = "journal.leftover"
    case journalFinished = "journal.finished"
    case journalCut = "journal.cut"
}

extension NoticeKind {
    package enum Category: String, Sendable, Hashable, CaseIterable, Codable {
        /// Something in the source is lost: bit depth, a stream, a tag.
        case downgrade
        /// Something is kept in another format: subtitles, audio.
        case conversion
        /// Software replaces hardware, or a simpler mode replaces a better one.
        case fallback
        /// Something left by an earlier run.
        case journal
        /// A problem with the source.
        case warning
    }

    /// The part of the code before the dot, or a warning.
    package var category: Category {
        rawValue.split(separator: ".").first.flatMap { Category(rawValue: String($0)) } ?? .warning
    }

    /// Creates the notice for software that replaces a GPU at this stage.
    package init(fallbackOf stage: VideoStage) {
        self =
            switch stage {
            case .decode: .fallbackDecode
            case .filter: .fallbackFilter
            case .encode: .fallbackEncode
            }
    }

    /// Creates the notice for a stream selection of which some streams do not exist.
    package init(selectionOf kind: StreamKind) {
        self =
            switch kind {
            case .audio: .audioSelection
            case .subtitle: .subtitleSelection
            case .data: .dataSelection
            case .attachment: .attachmentSelection
            case .video: .videoSelection
            }
    }
}

extension ErrorKind {
    /// Creates the error for a stream selection of which no stream exists.
    package init(selectionOf kind: StreamKind) {
        self =
            switch kind {
            case .audio: .audioSelection
            case .subtitle: .subtitleSelection
            case .data: .dataSelection
            case .attachment: .attachmentSelection
            case .video: .videoPosition
            }
    }
}
