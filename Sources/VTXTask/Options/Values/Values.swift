import VTXJSON
package import VTXMedia

/// Joins words: `a, b or c`.
package func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

extension ValueType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// A case of an enumeration.
    package static func choice(_ name: String, of _: Value.Type = Value.self) -> ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(
            name, expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(words.map { .string($0) })], write: { $0.rawValue },
            read: { Value(rawValue: $0) })
    }
}

extension ValueType where Value == String {
    /// One of several words, or of others that help does not show.
    package static func word(_ name: String, of words: [String], or hidden: [String] = []) -> ValueType {
        let all = words + hidden
        return ValueType(
            name, expects: alternatives(words), completion: .words(words),
            schema: ["enum": .array(all.map { .string($0) })],
            read: { all.contains($0) ? $0 : nil })
    }
}

extension ValueType where Value == Bool {
    /// The JSON type of a switch.
    package static var truth: ValueType {
        ValueType(
            "BOOL", expects: "true or false", completion: .words(["true", "false"]), schema: ["type": "boolean"],
            read: { Bool($0) })
    }
}

extension StringProtocol {
    /// Swift's number parsers also accept signs, exponents, hexadecimals, `inf` and `nan`, which users do not mean.
    package func consists(of characters: String) -> Bool {
        !isEmpty && allSatisfy { characters.contains($0) }
    }

    /// Parses `12` or `12.5`, nothing else.
    package var plainDecimal: Double? {
        guard consists(of: "0123456789."), first != ".", last != "." else { return nil }
        return Double(self)
    }
}

/// Formats `12`, `0.04`. Tiny values are 0, because exponents are not supported.
package func plainText(_ value: Double) -> String {
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

extension ValueType where Value == QualityTarget {
    package static var target: ValueType {
        let metrics = QualityMetric.allCases
        let bounds = metrics.map {
            "\($0.rawValue) from \(plainText($0.range.lowerBound)) to \(plainText($0.range.upperBound))"
        }
        return ValueType(
            "METRIC=N", expects: "a metric and its value, such as ssim=0.985: \(bounds.joined(separator: ", "))",
            completion: .words(metrics.map { "\($0.rawValue)=" }),
            schema: ["type": "string", "pattern": "^(ssim|psnr|xpsnr|vmaf)=[0-9]+([.][0-9]+)?$"],
            write: \.description,
            read: { text in
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, let metric = QualityMetric(rawValue: String(parts[0])),
                    let value = parts[1].plainDecimal, metric.range.contains(value)
                else { return nil }
                return QualityTarget(metric, value)
            })
    }
}

extension ValueType where Value == Int {
    /// An index in a list, from 0.
    package static var position: ValueType { count(from: 0, to: 999) }

    package static func count(from least: Int, to most: Int) -> ValueType {
        ValueType(
            "N", expects: "a whole number from \(least) to \(most)",
            schema: ["type": "integer", "minimum": .integer(Int64(least)), "maximum": .integer(Int64(most))],
            read: { $0.consists(of: "0123456789") ? Int($0).flatMap { (least...most).contains($0) ? $0 : nil } : nil })
    }

    /// Bits per second, `5M`, with decimal prefixes k, M and G.
    package static func bitrate(from least: String, to most: String) -> ValueType {
        prefixed("BITS", "bits per second from \(least) to \(most), such as 5M, 800k or 2500000", least, most)
    }

    package static var audioBitrate: ValueType { bitrate(from: "6k", to: "10M") }

    /// Bytes, `25M`, with decimal prefixes k, M and G.
    package static func byteCount(from least: String, to most: String) -> ValueType {
        prefixed("BYTES", "bytes from \(least) to \(most), such as 25M, 800k or 2500000", least, most)
    }

    private static func prefixed(
        _ placeholder: String, _ expected: String, _ least: String, _ most: String
    ) -> ValueType {
        let range = (Bitrate.parse(least) ?? 1)...(Bitrate.parse(most) ?? .max)
        return ValueType(
            placeholder, expects: expected,
            schema: [
                "type": ["integer", "string"], "minimum": .integer(Int64(range.lowerBound)),
                "maximum": .integer(Int64(range.upperBound)), "pattern": "^[0-9]+(\\.[0-9]+)?[kKmMgG]?$",
            ], read: { Bitrate.parse($0).flatMap { range.contains($0) ? $0 : nil } })
    }
}

extension ValueType where Value == Int {
    /// LUFS: below the level that leaves headroom for peaks, and above what is barely audible.
    package static var loudness: ValueType {
        let range = (-40)...(-8)
        return ValueType(
            "LUFS", expects: "a whole number from -40 to -8, such as -16",
            schema: [
                "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
                "maximum": .integer(Int64(range.upperBound)),
            ],
            read: { text in
                guard text.first == "-", text.dropFirst().consists(of: "0123456789") else { return nil }
                return Int(text).flatMap { range.contains($0) ? $0 : nil }
            })
    }
}

extension ValueType where Value == Double {
    package static var ratio: ValueType {
        ValueType(
            "RATIO", expects: "a number above 0, up to 10, such as 0.95",
            schema: ["type": "number", "exclusiveMinimum": 0, "maximum": 10], write: plainText,
            read: { $0.plainDecimal.flatMap { $0 > 0 && $0 <= 10 ? $0 : nil } })
    }

    private static var pattern: JSONValue { "^([0-9]+:){0,2}[0-9]+(\\.[0-9]+)?$" }

    /// A time from the source's start.
    package static var timestamp: ValueType {
        ValueType(
            "TIME", expects: "seconds or [H:]MM:SS, below 10000 hours, such as 12.5, 1:30 or 1:02:03.250",
            schema: [
                "type": ["number", "string"], "minimum": 0, "exclusiveMaximum": .number(TimeText.limit),
                "pattern": pattern,
            ], write: plainText,
            read: { TimeText.seconds($0) })
    }

    /// A duration. An empty one would produce an empty file.
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

/// Parses times as users write them.
package enum TimeText {
    /// Longer than any recording, and short enough for every time base.
    fileprivate static let limit = 10_000.0 * 3600

    /// Parses `12.5`, `90:00` and `1:02:03.250`. After the first part, minutes and seconds are below 60.
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
