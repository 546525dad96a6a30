import FoundationEssentials

/// One line of `--json`'s output. Times carry their unit in their names; readers ignore keys they do not know.
protocol Record: Encodable, Sendable {
    /// Tells the records apart; never changes.
    var type: String { get }
}

extension Record {
    /// The record as JSON, newline included.
    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // With these, no value of a record can make the encoder throw.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(self) else { return "{\"type\":\"\(type)\"}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension Double {
    /// To the thousandth; nobody needs more, and it keeps the lines short.
    var thousandths: Double { (self * 1000).rounded() / 1000 }
}
