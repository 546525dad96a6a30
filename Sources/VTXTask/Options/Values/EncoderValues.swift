import VTXJSON
import VTXMedia

extension ValueType where Value == String {
    /// A speed of any encoder, or a preset of a software encoder under its own name. SVT-AV1's are numbers in JSON.
    package static var encoderPreset: ValueType {
        let speeds = EncoderPreset.allCases.map(\.rawValue)
        let (words, numbers) = (EncoderPreset.words, EncoderPreset.numbers)
        let allowed = speeds + words + numbers
        let json = (speeds + words).map { JSONValue.string($0) } + numbers.compactMap { Int64($0).map { .integer($0) } }
        return ValueType(
            "PRESET",
            expects:
                "\(alternatives(speeds)), or a software encoder's preset: \(alternatives(words)), or 0 to 13 for AV1",
            completion: .words(speeds + words), schema: ["type": ["string", "integer"], "enum": .array(json)],
            read: { allowed.contains($0) ? $0 : nil })
    }
}

extension ValueType where Value == Int {
    package static var bitDepth: ValueType {
        ValueType(
            "BITS", expects: "8 or 10", completion: .words(["8", "10"]), schema: ["type": "integer", "enum": [8, 10]],
            read: { ["8", "10"].contains($0) ? Int($0) : nil })
    }
}
