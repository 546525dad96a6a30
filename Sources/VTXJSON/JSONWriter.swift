extension JSONValue {
    /// Compact text with sorted names, so that equal values have equal text.
    package var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

private struct JSONWriter {
    var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += Self.text(of: value).utf8
        case .string(let value): write(value)
        case .array(let elements): write("[", elements, "]") { $0.write($1) }
        case .object(let members):
            write("{", members.sorted { $0.key < $1.key }, "}") { writer, member in
                writer.write(member.key)
                writer.bytes.append(UInt8(ascii: ":"))
                writer.write(member.value)
            }
        }
    }

    private mutating func write<Element>(
        _ open: Unicode.Scalar, _ elements: [Element], _ close: Unicode.Scalar,
        each: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            each(&self, element)
        }
        bytes.append(UInt8(ascii: close))
    }

    /// JSON has no infinities or NaN.
    private static func text(of value: Double) -> String {
        guard value.isFinite else { return "null" }
        return Int64(exactly: value).map { String($0) } ?? value.description
    }
}

// MARK: Strings

extension JSONWriter {
    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        if string.utf8.allSatisfy({ $0 < 0x7f }) {
            for byte in string.utf8 { writeASCII(byte) }
        } else {
            for scalar in string.unicodeScalars { write(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\0"..<"\u{7f}": writeASCII(UInt8(scalar.value))
        // Line separators end lines in JavaScript, and in event streams whose reader splits at them.
        case "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}": escape(scalar.value)
        default: bytes += UTF8.encode(scalar)!
        }
    }

    private mutating func writeASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        case UInt8(ascii: "\r"): bytes += "\\r".utf8
        case UInt8(ascii: "\t"): bytes += "\\t".utf8
        case ..<0x20: escape(UInt32(byte))
        default: bytes.append(byte)
        }
    }

    private mutating func escape(_ value: UInt32) {
        let digits = String(value, radix: 16)
        bytes += "\\u".utf8
        bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        bytes += digits.utf8
    }
}
