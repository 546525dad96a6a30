import VTXJSON

extension ValueType where Value == Double {
    private static var pattern: JSONValue { "^([0-9]+:){0,2}[0-9]+(\\.[0-9]+)?$" }

    /// A point in time from the source's start.
    package static var timestamp: ValueType {
        ValueType(
            "TIME", expects: "seconds or [H:]MM:SS, below 10000 hours, such as 12.5, 1:30 or 1:02:03.250",
            schema: [
                "type": ["number", "string"], "minimum": 0, "exclusiveMaximum": .number(TimeText.limit),
                "pattern": pattern,
            ], write: plainText,
            read: { TimeText.seconds($0) })
    }

    /// A span of time; an empty one would ask for an empty file.
    package static var timeSpan: ValueType {
        ValueType(
            "TIME", expects: "more than 0 seconds, or [H:]MM:SS, below 10000 hours, such as 12.5, 1:30 or 1:02:03.250",
            schema: [
                "type": ["number", "string"], "exclusiveMinimum": 0, "exclusiveMaximum": .number(TimeText.limit),
                "pattern": pattern,
            ], write: plainText,
            read: { TimeText.seconds($0).flatMap { $0 > 0 ? $0 : nil } })
    }
}

/// Times as people write them.
package enum TimeText {
    /// Longer than any recording, short enough for every time base.
    fileprivate static let limit = 10_000.0 * 3600

    /// Reads `12.5`, `90:00` and `1:02:03.250`; after the first part, minutes and seconds stay below 60.
    package static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, let last = parts.last?.plainDecimal else { return nil }
        let wholes = parts.dropLast().map { $0.consists(of: "0123456789") ? Double($0) : nil }
        guard !wholes.contains(nil) else { return nil }
        let numbers = wholes.compactMap(\.self) + [last]
        guard numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        let seconds = numbers.reduce(0) { $0 * 60 + $1 }
        return seconds < limit ? seconds : nil
    }
}
