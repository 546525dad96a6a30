/// The name of a job: 20 characters that can be typed, unique over all hosts.
package struct JobID: Sendable, Hashable {
    package let text: String

    /// Crockford's alphabet: no i, l, o and u, which are mistaken for others.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    package static let length = 20

    /// - Returns: nil for what is no id.
    package init?(_ text: String) {
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }

    package init(using generator: inout some RandomNumberGenerator) {
        text = String((0..<Self.length).map { _ in Self.alphabet.randomElement(using: &generator)! })
    }
}

extension JobID: CustomStringConvertible, Codable {
    package var description: String { text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
