package import VTXJSON

/// A type of value that options take: how its text is read and written, and what people, shells and programs are told
/// about it. The bounds are in `read` alone.
package struct ValueType<Value>: Sendable {
    package let description: ValueDescription
    /// nil for text that is not such a value.
    package let read: @Sendable (String) -> Value?
    /// Text that `read` makes the same value of.
    package let write: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expected: completes "expected ...".
    ///   - schema: what JSON Schema says of the value; text by default.
    ///   - write: by default what the value's description says.
    package init(
        _ name: String, expects expected: String, completion: Completion = .nothing,
        schema: [String: JSONValue] = ["type": "string"],
        write: @escaping @Sendable (Value) -> String = { "\($0)" }, read: @escaping @Sendable (String) -> Value?
    ) {
        description = ValueDescription(name: name, expected: expected, completion: completion, schema: schema)
        self.read = read
        self.write = write
    }
}

/// What can be said about a type of value without naming the Swift type.
package struct ValueDescription: Sendable, Hashable {
    /// How help names it: `N`, `WxH`.
    package let name: String
    /// Completes "expected ...".
    package let expected: String
    package let completion: Completion
    /// Keywords of JSON Schema.
    package let schema: [String: JSONValue]

    /// A value as JSON: a list where the schema has lists, a number where the schema has numbers, a boolean where it has those, else text.
    package func json(_ text: String) -> JSONValue {
        if types.contains("array") { return .array(text.split(separator: "\n").map { .string(String($0)) }) }
        if types.contains("boolean"), let value = Bool(text) { return .bool(value) }
        if !types.isDisjoint(with: ["integer", "number"]), let value = Int64(text) { return .integer(value) }
        if types.contains("number"), let value = text.plainDecimal { return .number(value) }
        return .string(text)
    }

    /// What a command line would say for a value in JSON; nil for a value of another type than the schema's.
    package func text(_ value: JSONValue) -> String? {
        let isAllowed = types.contains(value.typeName) || value.typeName == "integer" && types.contains("number")
        guard let items = value.array, isAllowed else { return isAllowed ? value.string ?? value.text : nil }
        let texts = items.compactMap(\.string)
        return texts.count == items.count && !texts.isEmpty ? texts.joined(separator: "\n") : nil
    }

    /// The words of JSON Schema; words that can be chosen from are strings.
    private var types: Set<String> {
        guard let type = schema["type"] else { return ["string"] }
        return Set((type.array ?? [type]).compactMap(\.string))
    }
}

/// What a shell offers in a value's place.
package enum Completion: Sendable, Hashable {
    case nothing
    case files
    /// The names of vtx's own commands.
    case commands
    case words([String])
}

/// The known word nearest to an unknown one.
package enum Suggestion {
    /// The word nearest to a mistyped one; nil when none is near enough to be meant.
    package static func nearest(to given: String, in words: [String]) -> String? {
        let lowered = given.lowercased()
        let length = lowered.drop { $0 == "-" }.count
        guard length > 1 else { return nil }
        if let longer = words.first(where: { $0.hasPrefix(lowered) }) { return longer }
        let candidates = words.map { (word: $0, distance: distance(lowered, $0)) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, length / 3) ? best.word : nil
    }

    /// How many letters must be added, removed, changed or swapped with a neighbor to get from one to the other.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (letter == other ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
