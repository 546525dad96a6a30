package import VTXJSON

/// A type of option value: how its text is parsed and formatted, and its description for users, shells and programs.
/// The bounds are in `read` only.
package struct ValueType<Value>: Sendable {
    package let description: ValueDescription
    /// nil for text that is not a valid value.
    package let read: @Sendable (String) -> Value?
    /// Formats a value as text that `read` converts back.
    package let write: @Sendable (Value) -> String

    /// - Parameters:
    ///   - expected: Completes "expected ...".
    ///   - schema: The JSON Schema of the value; text by default.
    ///   - write: By default the value's description.
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

/// The description of a type of value, independent of the Swift type.
package struct ValueDescription: Sendable, Hashable {
    /// The placeholder in help: `N`, `WxH`.
    package let name: String
    /// Completes "expected ...".
    package let expected: String
    package let completion: Completion
    /// The keywords of JSON Schema.
    package let schema: [String: JSONValue]

    /// Converts a value to JSON: a list, number or boolean according to the schema, else text.
    package func json(_ text: String) -> JSONValue {
        if types.contains("array") { return .array(values(in: text).map { .string($0) }) }
        if types.contains("boolean"), let value = Bool(text) { return .bool(value) }
        if !types.isDisjoint(with: ["integer", "number"]), let value = Int64(text) { return .integer(value) }
        if types.contains("number"), let value = text.plainDecimal { return .number(value) }
        return .string(text)
    }

    /// Returns the values of a list, which newlines separate in text; otherwise the text.
    package func values(in text: String) -> [String] {
        types.contains("array") ? text.split(separator: "\n").map(String.init) : [text]
    }

    /// Converts a JSON value to the text of the command line; nil for a value of another type than the schema's.
    package func text(_ value: JSONValue) -> String? {
        let isAllowed = types.contains(value.typeName) || value.typeName == "integer" && types.contains("number")
        guard let items = value.array, isAllowed else { return isAllowed ? value.string ?? value.text : nil }
        let texts = items.compactMap(\.string)
        return texts.count == items.count && !texts.isEmpty ? texts.joined(separator: "\n") : nil
    }

    /// The types of JSON Schema; enumerations are strings.
    private var types: Set<String> {
        guard let type = schema["type"] else { return ["string"] }
        return Set((type.array ?? [type]).compactMap(\.string))
    }
}

/// What a shell offers as completion of a value.
package enum Completion: Sendable, Hashable {
    case nothing
    case files
    /// The names of vtx's commands.
    case commands
    case words([String])
}

/// Finds the nearest known word to an unknown one.
package enum Suggestion {
    /// Returns the word nearest to a mistyped one; nil if none is near enough.
    package static func nearest(to given: String, in words: [String]) -> String? {
        let lowered = given.lowercased()
        let length = lowered.drop { $0 == "-" }.count
        guard length > 1 else { return nil }
        if let longer = words.first(where: { $0.hasPrefix(lowered) }) { return longer }
        // Other digits are another name: h265 is not h264.
        let digits = lowered.filter(\.isNumber)
        let alike = words.filter { digits.isEmpty || $0.filter(\.isNumber) == digits }
        let candidates = alike.map { (word: $0, distance: distance(lowered, $0)) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, length / 3) ? best.word : nil
    }

    /// Returns how many letters must be added, removed, changed or swapped with a neighbor to convert one to the other.
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
