import VTXTask
import VTXTranscode

extension ValueType where Value == AudioChoice {
    static var audio: ValueType {
        let words = ["copy", "none"] + AudioCodec.allCases.map(\.rawValue)
        return ValueType(
            "CODEC", expects: alternatives(words), completion: .words(words),
            write: { $0 == .copy ? "copy" : nil },
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
    static var streams: ValueType {
        ValueType(
            "WHICH", expects: "all, none, or positions and languages such as 0,2,eng",
            write: { $0 == .all ? "all" : nil }, read: { StreamFilter($0) })
    }
}
