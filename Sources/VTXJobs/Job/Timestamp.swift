/// A calendar time, in milliseconds since 1970, UTC. For records and users; timeouts use a monotonic clock.
package struct Timestamp: Sendable, Hashable, Comparable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    package init(seconds: Double) { milliseconds = Int64((seconds * 1000).rounded()) }

    package var seconds: Double { Double(milliseconds) / 1000 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
    package static func + (time: Timestamp, seconds: Double) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + Int64((seconds * 1000).rounded()))
    }
    /// The difference in seconds.
    package static func - (left: Timestamp, right: Timestamp) -> Double { left.seconds - right.seconds }
}

// MARK: RFC 3339

extension Timestamp: CustomStringConvertible {
    /// `2025-11-22T09:41:54.120Z`
    package var description: String {
        let (days, rest) = milliseconds.quotientRoundedDown(by: 86_400_000)
        let date = Self.date(ofDay: days)
        let seconds = rest / 1000
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))T"
            + "\((seconds / 3600).padded(2)):\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2))"
            + ".\((rest % 1000).padded(3))Z"
    }

    /// Parses what `description` formats, with any number of decimals, and with an offset instead of `Z`.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, let date = Self.numbers(bytes[0..<10], separators: "--", widths: [4, 2, 2]),
            bytes[10] | 0x20 == UInt8(ascii: "t"),
            let time = Self.numbers(bytes[11..<19], separators: "::", widths: [2, 2, 2]),
            (1...12).contains(date[1]), (1...31).contains(date[2]), time[0] < 24, time[1] < 60, time[2] < 61,
            let (fraction, rest) = Self.fraction(bytes[19...]), let offset = Self.offset(rest)
        else { return nil }
        let day = Self.day(year: date[0], month: date[1], day: date[2])
        milliseconds = (day * 86400 + time[0] * 3600 + time[1] * 60 + time[2] - offset) * 1000 + fraction
    }

    /// Parses numbers of fixed widths, with separators between them.
    private static func numbers(_ bytes: ArraySlice<UInt8>, separators: String, widths: [Int]) -> [Int64]? {
        var (rest, numbers) = (bytes, [Int64]())
        for (index, width) in widths.enumerated() {
            if index > 0, rest.popFirst() != separators.utf8.first { return nil }
            let digits = rest.prefix(width)
            guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
            rest = rest.dropFirst(width)
        }
        return rest.isEmpty ? numbers : nil
    }

    /// Parses milliseconds, and returns the remaining text.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> (Int64, ArraySlice<UInt8>)? {
        guard bytes.first == UInt8(ascii: ".") else { return (0, bytes) }
        let digits = bytes.dropFirst().prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        let first = (digits.prefix(3) + [0x30, 0x30, 0x30]).prefix(3)
        return (first.reduce(0) { $0 * 10 + Int64($1 - 0x30) }, bytes.dropFirst(1 + digits.count))
    }

    /// Parses an offset in seconds; 0 for `Z`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let sign = bytes.first else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return bytes.count == 1 ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let parts = numbers(bytes.dropFirst(), separators: ":", widths: [2, 2]), parts[0] < 24, parts[1] < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (parts[0] * 3600 + parts[1] * 60)
    }

    /// The Gregorian calendar in eras of 400 years, each of 146097 days. Years begin in March, so that the leap day
    /// comes last.
    private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientRoundedDown(by: 146_097)
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            year + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientRoundedDown(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an RFC 3339 time")
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
