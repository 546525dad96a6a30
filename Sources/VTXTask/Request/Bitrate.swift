/// Parses bit rates as users write them.
package enum Bitrate {
    /// Parses a number followed by k, M or G; nil for anything else, and for overflow.
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
