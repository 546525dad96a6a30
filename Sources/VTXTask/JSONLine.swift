import VTXJSON
package import VTXMedia

/// Encodes values as JSON lines: keys sorted, no newline inside.
package enum JSONLine {
    /// Returns the value as JSON, newline included.
    ///
    /// - Parameter spelling: The spelling of options in messages; nil keeps them as data.
    package static func text(_ value: some Encodable, spelling: Message.Spelling? = nil) -> String {
        // Encoding a value of vtx never throws.
        let json = try? JSONValue(encoding: value, userInfo: spelling.map { [Message.spelling: $0] } ?? [:])
        return (json?.text ?? "{}") + "\n"
    }

    /// - Throws: `JSONError` or `DecodingError`.
    package static func value<Value: Decodable>(_: Value.Type = Value.self, from line: some StringProtocol) throws
        -> Value
    {
        try JSONValue(parsing: Array(line.utf8)).decoded()
    }
}

extension Double {
    /// Rounded to thousandths: enough for readers, and short.
    package var thousandths: Double { (self * 1000).rounded() / 1000 }
}

extension String {
    /// Pads the text with spaces on the right.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Pads the text with spaces on the left.
    package func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    package var trimmingTrailingSpace: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
