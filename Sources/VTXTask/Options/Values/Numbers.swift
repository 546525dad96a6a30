import VTXJSON
package import VTXMedia

extension StringProtocol {
    /// Swift's number parsers also take signs, exponents, hexadecimals, `inf` and `nan`; people do not mean those.
    package func consists(of characters: String) -> Bool {
        !isEmpty && allSatisfy { characters.contains($0) }
    }

    /// `12` or `12.5`, nothing else.
    package var plainDecimal: Double? {
        guard consists(of: "0123456789."), first != ".", last != "." else { return nil }
        return Double(self)
    }
}

/// `12`, `0.04`; what is nearly nothing is 0, since people write no exponents.
func plainText(_ value: Double) -> String {
    let text = "\(value)"
    if text.hasSuffix(".0") { return String(text.dropLast(2)) }
    return text.contains("e") && abs(value) < 1 ? "0" : text
}

extension ValueType where Value == Quality {
    package static var quality: ValueType<Quality> {
        ValueType(
            "N", expects: "a number from 0 to 100, such as 70",
            schema: ["type": "number", "minimum": 0, "maximum": 100], write: { plainText($0.value) },
            read: { $0.plainDecimal.flatMap(Quality.init) })
    }
}

extension ValueType where Value == Int {
    /// A place in a list, counted from 0.
    package static var position: ValueType { count(from: 0, to: 999) }

    package static func count(from least: Int, to most: Int) -> ValueType {
        ValueType(
            "N", expects: "a number from \(least) to \(most)",
            schema: ["type": "integer", "minimum": .integer(Int64(least)), "maximum": .integer(Int64(most))],
            read: { $0.consists(of: "0123456789") ? Int($0).flatMap { (least...most).contains($0) ? $0 : nil } : nil })
    }

    /// Bits per second, `5M`; the decimal prefixes k, M and G.
    package static func bitrate(from least: String, to most: String) -> ValueType {
        let range = (Bitrate.parse(least) ?? 1)...(Bitrate.parse(most) ?? .max)
        return ValueType(
            "BITS", expects: "bits per second from \(least) to \(most), such as 5M, 800k or 2500000",
            schema: [
                "type": ["integer", "string"], "minimum": .integer(Int64(range.lowerBound)),
                "maximum": .integer(Int64(range.upperBound)), "pattern": "^[0-9]+(\\.[0-9]+)?[kKmMgG]?$",
            ], read: { Bitrate.parse($0).flatMap { range.contains($0) ? $0 : nil } })
    }
}

/// Bits per second, as people write them.
package enum Bitrate {
    /// nil for what is not a number with k, M or G after it, and for what no Int holds.
    package static func parse(_ text: String) -> Int? {
        let factor: Double? =
            switch text.last {
            case "k", "K": 1e3
            case "m", "M": 1e6
            case "g", "G": 1e9
            default: nil
            }
        let digits = factor == nil ? text[...] : text.dropLast()
        guard let number = digits.plainDecimal else { return nil }
        return Int(exactly: (number * (factor ?? 1)).rounded())
    }
}
