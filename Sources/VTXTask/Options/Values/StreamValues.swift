import VTXJSON
import VTXMedia

extension ValueType where Value == AudioChoice {
    package static var audio: ValueType {
        let words = ["copy", "none"] + AudioCodec.allCases.map(\.rawValue)
        return ValueType(
            "CODEC", expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(words.map { .string($0) })],
            write: { choice in
                switch choice {
                case .copy: "copy"
                case .none: "none"
                case .encode(let codec): codec.rawValue
                }
            },
            read: { text in
                switch text {
                case "copy": .copy
                case "none": AudioChoice.none
                default: AudioCodec(rawValue: text).map(AudioChoice.encode)
                }
            })
    }
}

extension ValueType where Value == DrawnSubtitles {
    package static var drawnSubtitles: ValueType {
        ValueType(
            "WHICH", expects: "a position or a language, such as 0 or eng, or a file such as movie.srt",
            completion: .files, schema: ["type": "string", "pattern": "^([0-9]+|[a-z]{2,3}|.*[./].*)$"],
            read: { DrawnSubtitles($0) })
    }
}

extension ValueType where Value == AddedFile {
    package static var addedAudio: ValueType {
        added(":language=CODE, :title=TEXT and :default") { $0.marks.isForced ? nil : $0 }
    }

    /// Only subtitles can be forced: for foreign dialog and signs.
    package static var addedSubtitles: ValueType { added(":language=CODE, :title=TEXT, :default and :forced") { $0 } }

    private static func added(
        _ properties: String, _ check: @escaping @Sendable (AddedFile) -> AddedFile?
    ) -> ValueType {
        ValueType(
            "FILE", expects: "a file, and after it any of \(properties)", completion: .files,
            schema: ["type": ["array", "string"], "items": ["type": "string", "minLength": 1], "minItems": 1],
            read: { AddedFile(text: $0).flatMap(check) })
    }
}

extension ValueType where Value == AudioTrack {
    package static var audioTrack: ValueType {
        ValueType(
            "WHICH", expects: "streams and what they become, such as 0:aac:channels=stereo:bitrate=160k:title=Stereo",
            schema: ["type": ["array", "string"], "items": ["type": "string", "minLength": 1], "minItems": 1],
            read: { AudioTrack(text: $0) })
    }
}

extension ValueType where Value == StreamFilter {
    package static var streams: ValueType {
        ValueType(
            "WHICH", expects: "all, none, or positions and languages such as 0,2,eng",
            schema: ["type": "string", "pattern": "^(all|none|[0-9a-z]+(,[0-9a-z]+)*)$"], write: \.text,
            read: { StreamFilter($0) })
    }
}

extension ValueType where Value == SkippedCodecs {
    package static var skippedCodecs: ValueType {
        let known = SkippedCodecs.names.joined(separator: ", ")
        let names = SkippedCodecs.names.joined(separator: "|")
        return ValueType(
            "LIST", expects: "none, auto, or codecs such as hevc,av1, out of \(known)",
            completion: .words(["none", "auto"] + SkippedCodecs.names),
            schema: ["type": "string", "pattern": .string("^(none|auto|(\(names))(,(\(names)))*)$")],
            write: \.text, read: { SkippedCodecs($0) })
    }
}

extension StreamFilter {
    /// The text for `init(_:)`.
    package var text: String {
        switch self {
        case .all: "all"
        case .none: "none"
        case .only(let keys): keys.map(\.description).joined(separator: ",")
        }
    }
}
