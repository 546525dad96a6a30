/// The reason why text is not valid JSON.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    package var reason: String
    /// The position in bytes from the start.
    package var offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
}

/// Parses untrusted JSON (RFC 8259): with limited depth, unique member names, and valid UTF-8 only.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    /// No request is deeper, and the stack is limited.
    private static let maxDepth = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func parse() throws(JSONError) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw error("text after the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.objectBody() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.arrayBody() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Parses the content of an object or array.
    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw error("more than \(Self.maxDepth) levels") }
        position += 1
        return try body(&self)
    }

    private mutating func objectBody() throws(JSONError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if takes("}") { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a member has no name") }
            let name = try string()
            guard members[name] == nil else { throw error("'\(name)' is a duplicate name") }
            guard takes(":") else { throw error("':' is missing") }
            members[name] = try value()
        } while takes(",")
        guard takes("}") else { throw error("'}' is missing") }
        return .object(members)
    }

    private mutating func arrayBody() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        if takes("]") { return .array(elements) }
        repeat { elements.append(try value()) } while takes(",")
        guard takes("]") else { throw error("']' is missing") }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let text = "\(word)".utf8
        guard bytes[position...].starts(with: text) else { throw error("not a JSON value") }
        position += text.count
        return value
    }
}

// MARK: Numbers

extension JSONParser {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let firstDigit = next
        guard takeDigits() > 0 else { throw error("not a JSON value") }
        guard firstDigit != UInt8(ascii: "0") || position - start <= (bytes[start] == UInt8(ascii: "-") ? 2 : 1) else {
            throw error("a number has a leading zero")
        }
        let isWhole = try !takeFraction()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw error("the number \(text) is out of range") }
        // Equal numbers are equal values, however they are written: 1e2 is 100.
        return Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }

    /// Returns whether there was a fraction or an exponent.
    private mutating func takeFraction() throws(JSONError) -> Bool {
        var found = false
        if next == UInt8(ascii: ".") {
            position += 1
            found = true
            guard takeDigits() > 0 else { throw error("a digit is missing") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            found = true
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard takeDigits() > 0 else { throw error("a digit is missing") }
        }
        return found
    }

    private mutating func takeDigits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}

// MARK: Strings

extension JSONParser {
    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while true {
            text += plainText()
            guard let byte = next else { throw error("a string is not terminated") }
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else { throw error("a control character in a string") }
            try escape(into: &text)
        }
        guard let string = String(validating: text, as: UTF8.self) else { throw error("a string is not valid UTF-8") }
        return string
    }

    /// Characters without escapes.
    private mutating func plainText() -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        return bytes[start..<position]
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter!)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(try unicodeScalar()).utf8)
        default: throw error("an unknown escape")
        }
    }

    /// Parses four hexadecimal digits, or a surrogate pair.
    private mutating func unicodeScalar() throws(JSONError) -> Character {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard UTF16.isLeadSurrogate(first), bytes[position...].starts(with: "\\u".utf8) else {
            throw error("half of a surrogate pair")
        }
        position += 2
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw error("half of a surrogate pair") }
        let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
        return Character(Unicode.Scalar(value)!)
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw error("an escape without four hexadecimal digits") }
        position += 4
        return value
    }
}

// MARK: Bytes

extension JSONParser {
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    /// Skips white space, then consumes this character if it is next.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func error(_ reason: String) -> JSONError { JSONError(reason: reason, offset: min(position, bytes.count)) }
}

extension JSONValue {
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes)
        self = try parser.parse()
    }

    package init(parsing text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }
}
