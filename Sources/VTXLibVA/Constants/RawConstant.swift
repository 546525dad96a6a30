/// A named constant of va.h. libva grows: unknown numbers are kept and printed as numbers.
package protocol RawConstant: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// Numbers with the names of the specification, without the constant's prefix.
    static var table: [RawValue: String] { get }
    init(rawValue: RawValue)
}

extension RawConstant {
    /// `HEVCMain10`, or `#99` for an unknown number.
    package var description: String { Self.table[rawValue] ?? "#\(rawValue)" }

    /// Parses what `description` formats; nil for anything else.
    package init?(_ text: some StringProtocol) {
        if let number = text.hasPrefix("#") ? RawValue(text.dropFirst()) : nil {
            self.init(rawValue: number)
        } else if let entry = Self.table.first(where: { $0.value == text }) {
            self.init(rawValue: entry.key)
        } else {
            return nil
        }
    }
}

/// Named flags of va.h.
package protocol NamedFlags: OptionSet, Sendable, Hashable, CustomStringConvertible
where RawValue == UInt32, Element == Self {
    /// One flag each, in the order of printing.
    static var table: [(bits: UInt32, name: String)] { get }
}

extension NamedFlags {
    /// The names of the flags, and the rest as a number; empty for an empty set.
    package var names: [String] {
        let known = Self.table.filter { rawValue & $0.bits != 0 }
        let rest = known.reduce(rawValue) { $0 & ~$1.bits }
        return known.map(\.name) + (rest == 0 ? [] : ["0x" + String(rest, radix: 16)])
    }

    /// `CQP+CBR`, or `none`.
    package var description: String { isEmpty ? "none" : names.joined(separator: "+") }
}

/// A four-character code of a surface's layout, `VA_FOURCC_*`. The first character is in the lowest byte.
package struct FourCC: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let nv12 = FourCC(rawValue: 0x3231_564e)
    package static let p010 = FourCC(rawValue: 0x3031_3050)
    package static let p012 = FourCC(rawValue: 0x3231_3050)
    package static let y210 = FourCC(rawValue: 0x3031_3259)
    package static let yuy2 = FourCC(rawValue: 0x3259_5559)
    package static let y410 = FourCC(rawValue: 0x3031_3459)
    package static let ayuv = FourCC(rawValue: 0x5655_5941)
    package static let xyuv = FourCC(rawValue: 0x5655_5958)
}

extension FourCC: CustomStringConvertible {
    private var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) } }

    /// `NV12`, without trailing spaces (`Y8`); a number if it is not printable.
    package var description: String {
        var text = bytes[...]
        while text.last == 0x20 { text = text.dropLast() }
        let isPrintable = !text.isEmpty && text.allSatisfy { (0x21...0x7e).contains($0) }
        return isPrintable ? String(decoding: text, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
    }

    /// Parses what `description` formats; nil for anything else.
    package init?(_ text: some StringProtocol) {
        if text.hasPrefix("0x") {
            guard let number = UInt32(text.dropFirst(2), radix: 16) else { return nil }
            self.init(rawValue: number)
            return
        }
        guard (1...4).contains(text.utf8.count) else { return nil }
        let padded = Array(text.utf8) + [UInt8](repeating: 0x20, count: 4 - text.utf8.count)
        self.init(rawValue: padded.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
