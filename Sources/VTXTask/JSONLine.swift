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
