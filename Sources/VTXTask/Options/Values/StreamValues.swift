import VTXJSON

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

extension ValueType where Value == StreamFilter {
    package static var streams: ValueType {
        ValueType(
            "WHICH", expects: "all, none, or positions and languages such as 0,2,eng",
            schema: ["type": "string", "pattern": "^(all|none|[0-9a-z]+(,[0-9a-z]+)*)$"], write: \.text,
            read: { StreamFilter($0) })
    }
}

extension StreamFilter {
    /// What `init(_:)` reads.
    package var text: String {
        switch self {
        case .all: "all"
        case .none: "none"
        case .only(let keys): keys.map(\.description).joined(separator: ",")
        }
    }
}
