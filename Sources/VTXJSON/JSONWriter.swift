extension JSONValue {
    /// Compact, with names in order: the same value is the same text.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.text(of: value)
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements): write("[", elements, "]", to: &text) { $0.write(to: &$1) }
        case .object(let members):
            write("{", members.sorted { $0.key < $1.key }, "}", to: &text) { member, text in
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
        }
    }

    private func write<Element>(
        _ open: String, _ elements: [Element], _ close: String, to text: inout String,
        each: (Element, inout String) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            each(element, &text)
        }
        text += close
    }

    /// JSON has neither infinities nor NaN.
    private static func text(of value: Double) -> String {
        guard value.isFinite else { return "null" }
        return Int64(exactly: value).map { String($0) } ?? value.description
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // Line separators end a line of JavaScript, and of an event stream's reader that splits at them.
            case "\0"..." ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                if scalar == " " { text += " " } else { text += escape(scalar) }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
