package import VTXJSON
import VTXTask

/// A schema for JSON values. It validates requests and is itself the JSON Schema (draft 2020-12) in the OpenAPI
/// document, so documentation and validation cannot differ.
package indirect enum Schema: Sendable {
    case anything
    case boolean
    case string(StringRule = StringRule())
    case integer(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case array(of: Schema, max: Int)
    case object(Object)
    /// An object with any names and values of one kind.
    case map(of: Schema, max: Int, names: StringRule = StringRule(1...128))
    case oneOf([Schema])
    /// A schema with a name in the document.
    case named(String, Schema)
    case nullable(Schema)
    /// A schema that another module describes and validates.
    case checked(json: JSONValue, problems: @Sendable (JSONValue, _ pointer: String) -> [SchemaProblem])

    package struct StringRule: Sendable {
        var length: ClosedRange<Int>
        var words: [String]
        var format: String?
        var pattern: String?
        /// The meaning of the pattern, for users.
        var meaning: String?
        /// Validates the pattern or format.
        var accepts: (@Sendable (String) -> Bool)?

        package init(
            _ length: ClosedRange<Int> = 0...4096, words: [String] = [], format: String? = nil, pattern: String? = nil,
            meaning: String? = nil, accepts: (@Sendable (String) -> Bool)? = nil
        ) {
            self.length = length
            self.words = words
            self.format = format
            self.pattern = pattern
            self.meaning = meaning
            self.accepts = accepts
        }
    }

    package struct Object: Sendable {
        package var members: [Member]
        /// Whether exactly one of the members must be present.
        package var exactlyOne: Bool
        /// Whether other members are allowed: in responses only, never in requests.
        package var isOpen: Bool

        package init(_ members: [Member], exactlyOne: Bool = false, isOpen: Bool = false) {
            self.members = members
            self.exactlyOne = exactlyOne
            self.isOpen = isOpen
        }
    }

    package struct Member: Sendable {
        package var name: String
        package var schema: Schema
        package var description: String
        package var isRequired: Bool
        package var defaultValue: JSONValue?

        package init(
            _ name: String, _ schema: Schema, _ description: String, required: Bool = false,
            default value: JSONValue? = nil
        ) {
            self.name = name
            self.schema = schema
            self.description = description
            self.isRequired = required
            self.defaultValue = value
        }
    }
}

/// A validation error.
package struct SchemaProblem: Error, Sendable, Hashable {
    /// A JSON pointer (RFC 6901); empty for the whole value.
    package var pointer: String
    package var message: String
    /// Whether the message is a complete sentence.
    package var isSentence: Bool

    package init(_ pointer: String, _ message: String, isSentence: Bool = false) {
        self.pointer = pointer
        self.message = message
        self.isSentence = isSentence
    }
}

// MARK: Checking

extension Schema {
    /// Returns all validation errors of a value.
    package func problems(with value: JSONValue, at pointer: String = "") -> [SchemaProblem] {
        switch self {
        case .anything: []
        case .boolean: value.bool == nil ? [wrong(value, "a boolean", pointer)] : []
        case .string(let rule):
            value.string.map { rule.problems(with: $0, pointer) } ?? [wrong(value, "a string", pointer)]
        case .integer(let range): number(value.integer, in: range, "an integer", value, pointer)
        case .number(let range): number(value.number, in: range, "a number", value, pointer)
        case .array(let element, let max): array(value, element, max, pointer)
        case .object(let object): object.problems(with: value, pointer)
        case .map(let element, let max, let names): map(value, element, max, names, pointer)
        case .oneOf(let choices): oneOf(choices, value, pointer)
        case .named(_, let schema): schema.problems(with: value, at: pointer)
        case .nullable(let schema): value == .null ? [] : schema.problems(with: value, at: pointer)
        case .checked(_, let problems): problems(value, pointer)
        }
    }

    func wrong(_ value: JSONValue, _ wanted: String, _ pointer: String) -> SchemaProblem {
        SchemaProblem(pointer, "is \(value.typeName), but must be \(wanted)")
    }

    private func number<Number: Comparable>(
        _ number: Number?, in range: ClosedRange<Number>, _ wanted: String, _ value: JSONValue, _ pointer: String
    ) -> [SchemaProblem] {
        let allowed = "from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        guard let number else { return [wrong(value, "\(wanted) \(allowed)", pointer)] }
        guard !range.contains(number) else { return [] }
        return [SchemaProblem(pointer, "is \(Self.text(number)), but must be \(allowed)")]
    }

    /// Returns a number as in JSON: 10, not 10.0.
    private static func text(_ number: some Comparable) -> String {
        (number as? Double).map { JSONValue.number($0).text } ?? "\(number)"
    }

    private func array(_ value: JSONValue, _ element: Schema, _ max: Int, _ pointer: String) -> [SchemaProblem] {
        guard let elements = value.array else { return [wrong(value, "an array", pointer)] }
        guard elements.count <= max else { return [SchemaProblem(pointer, "has more than \(max) elements")] }
        return elements.enumerated().flatMap { element.problems(with: $1, at: "\(pointer)/\($0)") }
    }

    private func map(
        _ value: JSONValue, _ element: Schema, _ max: Int, _ names: StringRule, _ pointer: String
    ) -> [SchemaProblem] {
        guard let members = value.object else { return [wrong(value, "an object", pointer)] }
        guard members.count <= max else { return [SchemaProblem(pointer, "has more than \(max) members")] }
        return members.sorted { $0.key < $1.key }.flatMap { name, value in
            let place = "\(pointer)/\(name.pointerEscaped)"
            return names.problems(with: name, place) + element.problems(with: value, at: place)
        }
    }

    private func oneOf(_ choices: [Schema], _ value: JSONValue, _ pointer: String) -> [SchemaProblem] {
        let found = choices.map { $0.problems(with: value, at: pointer) }
        if found.contains(where: \.isEmpty) { return [] }
        return found.min { $0.count < $1.count } ?? []
    }
}

extension Schema.StringRule {
    func problems(with text: String, _ pointer: String) -> [SchemaProblem] {
        if !words.isEmpty, !words.contains(text) {
            return [SchemaProblem(pointer, "is '\(text)', but must be \(words.joined(separator: ", "))")]
        }
        // JSON Schema counts characters as RFC 8259 does: code points.
        guard length.contains(text.unicodeScalars.count) else {
            let isFixed = length.lowerBound == length.upperBound
            let allowed = isFixed ? "\(length.lowerBound)" : "\(length.lowerBound) to \(length.upperBound)"
            return [SchemaProblem(pointer, "must have \(allowed) characters")]
        }
        guard accepts?(text) ?? true else {
            if let meaning { return [SchemaProblem(pointer, "is '\(text)', but must be \(meaning)")] }
            return [SchemaProblem(pointer, "is no \(format ?? pattern.map { "match of \($0)" } ?? "such text")")]
        }
        return []
    }
}

extension Schema.Object {
    func problems(with value: JSONValue, _ pointer: String) -> [SchemaProblem] {
        guard let found = value.object else {
            return [SchemaProblem(pointer, "is \(value.typeName), but must be an object")]
        }
        let inside = members.flatMap { member in
            found[member.name].map { member.schema.problems(with: $0, at: "\(pointer)/\(member.name)") } ?? []
        }
        return missing(found, pointer) + (isOpen ? [] : unknown(found, pointer)) + inside
    }

    private func missing(_ found: [String: JSONValue], _ pointer: String) -> [SchemaProblem] {
        if exactlyOne, found.count != 1 {
            return [SchemaProblem(pointer, "must have exactly one of \(members.map(\.name).joined(separator: ", "))")]
        }
        return members.filter { $0.isRequired && found[$0.name] == nil }
            .map { SchemaProblem("\(pointer)/\($0.name)", "is missing") }
    }

    private func unknown(_ found: [String: JSONValue], _ pointer: String) -> [SchemaProblem] {
        let names = members.map(\.name)
        return found.keys.sorted().filter { !names.contains($0) }.map { name in
            let nearest = Suggestion.nearest(to: name, in: names)
            return SchemaProblem(
                "\(pointer)/\(name.pointerEscaped)", "is not known" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
        }
    }
}

extension String {
    /// Escaped for a JSON pointer.
    var pointerEscaped: String { replacing("~", with: "~0").replacing("/", with: "~1") }
}

/// The names allowed for presets, tokens and watch folders.
enum RecordName {
    static let rule = Schema.StringRule(
        1...64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
        meaning: "of letters and digits, and of '.', '_' and '-' after the first one",
        accepts: { name in
            name.first.map { $0 != "." && $0 != "_" && $0 != "-" } ?? false
                && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        })
}
