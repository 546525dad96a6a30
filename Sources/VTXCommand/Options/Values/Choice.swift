/// `a, b or c`.
func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

extension ValueType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of an enumeration's words.
    static func choice(_ name: String, of _: Value.Type = Value.self) -> ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(
            name, expects: alternatives(words), completion: .words(words), write: { $0.rawValue },
            read: { Value(rawValue: $0) })
    }
}

extension ValueType where Value == String {
    /// One of some words.
    static func word(_ name: String, of words: [String]) -> ValueType {
        ValueType(name, expects: alternatives(words), completion: .words(words)) {
            words.contains($0) ? $0 : nil
        }
    }
}
