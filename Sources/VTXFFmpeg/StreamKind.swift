import CFFmpeg

/// What a stream holds (C: `AVMediaType`).
package enum StreamKind: String, Sendable, Hashable, CaseIterable {
    case video
    case audio
    case subtitle
    case data
    case attachment

    init(_ type: AVMediaType) {
        switch type {
        case AVMEDIA_TYPE_VIDEO: self = .video
        case AVMEDIA_TYPE_AUDIO: self = .audio
        case AVMEDIA_TYPE_SUBTITLE: self = .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: self = .attachment
        default: self = .data
        }
    }
}

/// What a stream is for: default, forced, commentary ... (C: `AV_DISPOSITION_*`).
package struct Disposition: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let `default` = Disposition(rawValue: AV_DISPOSITION_DEFAULT)
    /// A picture that goes with the file, not a moving stream.
    package static let attachedPicture = Disposition(rawValue: AV_DISPOSITION_ATTACHED_PIC)

    /// The names that ffprobe prints.
    package var names: [String] {
        (0..<31).compactMap { bit in
            rawValue & (1 << bit) == 0 ? nil : String(optional: av_disposition_to_string(1 << bit))
        }
    }
}
