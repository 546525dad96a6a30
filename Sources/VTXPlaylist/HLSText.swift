/// The lines of playlists (RFC 8216, 4), written and read. Pure.
package enum HLSText {
    /// Starts every playlist. Version 7 allows `EXT-X-MAP` in playlists of complete segments.
    package static let head = "#EXTM3U\n#EXT-X-VERSION:7\n"
    package static let independentSegments = "#EXT-X-INDEPENDENT-SEGMENTS\n"
    package static let end = "#EXT-X-ENDLIST\n"

    package static func targetDuration(_ seconds: Int) -> String { "#EXT-X-TARGETDURATION:\(max(1, seconds))\n" }

    package static func segmentDuration(_ seconds: Double) -> String {
        "#EXTINF:\(Decimal.text(seconds, digits: 5)),\n"
    }

    package static func tag(_ name: String, _ attributes: [(String, String)]) -> String {
        "#\(name):" + attributes.map { "\($0.0)=\($0.1)" }.joined(separator: ",") + "\n"
    }

    /// A quoted string cannot contain quotes or line breaks (RFC 8216, 4.2).
    package static func quoted(_ text: String) -> String {
        let allowed = text.unicodeScalars.map { scalar -> Character in
            scalar == "\"" ? "'" : scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        return "\"\(String(allowed))\""
    }

    /// A file's name as a relative URI (RFC 3986, 4.2).
    package static func uri(_ name: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return name.utf8.map { byte in
            guard !plain.contains(byte) else { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    /// Returns the lines of a playlist, without empty ones.
    static func lines(of text: String) -> [Substring] {
        text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { Substring($0) }
    }

    /// Returns the value of an attribute, without quotes; nil if the list does not have it (RFC 8216, 4.2).
    static func attribute(_ name: String, in list: Substring) -> Substring? {
        var rest = list
        while let equals = rest.firstIndex(of: "=") {
            let found = rest[..<equals]
            rest = rest[equals...].dropFirst()
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            let end = rest.firstIndex(of: isQuoted ? "\"" : ",") ?? rest.endIndex
            if found == name { return rest[..<end] }
            rest = rest[end...].drop { $0 != "," }.dropFirst()
        }
        return nil
    }
}

/// Formats numbers for playlists.
package enum Decimal {
    /// Returns the number with this many digits after the point.
    package static func text(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { number, _ in number * 10 }
        let total = Int((max(0, value) * Double(scale)).rounded())
        let fraction = "\(total % scale)"
        return "\(total / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
