import FoundationEssentials
package import VTXMedia

/// Values as JSON, one a line: keys sorted, no newline inside.
package enum JSONLine {
    /// The value as JSON, newline included.
    ///
    /// - Parameter spelling: how options in messages are written; nil keeps them as data.
    package static func text(_ value: some Encodable, spelling: Message.Spelling? = nil) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        if let spelling { encoder.userInfo[Message.spelling] = spelling }
        // With these, no value of vtx's makes the encoder throw.
        guard let data = try? encoder.encode(value) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// - Throws: `DecodingError`.
    package static func value<Value: Decodable>(_: Value.Type = Value.self, from line: some StringProtocol) throws
        -> Value
    {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        return try decoder.decode(Value.self, from: Data(line.utf8))
    }

    private static let infinity = "inf"
    private static let notANumber = "nan"
}

extension Double {
    /// To the thousandth: enough for readers, and short.
    package var thousandths: Double { (self * 1000).rounded() / 1000 }
}

extension String {
    /// The text filled up with spaces on the right.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text filled up with spaces on the left.
    package func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    package var trimmingTrailingSpace: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
