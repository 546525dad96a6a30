import VTXJSON

/// `a, b or c`.
package func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

extension ValueType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of an enumeration's words.
    package static func choice(_ name: String, of _: Value.Type = Value.self) -> ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(
            name, expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(words.map { .string($0) })], write: { $0.rawValue },
            read: { Value(rawValue: $0) })
    }
}

extension ValueType where Value == String {
    /// One of some words, or of others that help does not show.
    package static func word(_ name: String, of words: [String], or hidden: [String] = []) -> ValueType {
        let all = words + hidden
        return ValueType(
            name, expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(all.map { .string($0) })],
            read: { all.contains($0) ? $0 : nil })
    }
}

extension ValueType where Value == Bool {
    /// What a switch has in JSON.
    package static var truth: ValueType {
        ValueType(
            "BOOL", expects: "true or false", completion: .words(["true", "false"]), schema: ["type": "boolean"],
            read: { Bool($0) })
    }
}
