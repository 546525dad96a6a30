/// A number of va.h that has a name there. libva grows: a number without a name here is kept and printed as it is.
package protocol RawConstant: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger & Sendable {
    /// Numbers and names; the names are the specification's, without the constant's prefix.
    static var table: [RawValue: String] { get }
    init(rawValue: RawValue)
}

extension RawConstant {
    /// `HEVCMain10`, or `#99` for a number that has no name here.
    package var description: String { Self.table[rawValue] ?? "#\(rawValue)" }

    /// Reads what `description` writes; nil for anything else.
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

/// Bits of va.h that have names there.
package protocol NamedFlags: OptionSet, Sendable, Hashable, CustomStringConvertible
where RawValue == UInt32, Element == Self {
    /// One bit each, in the order in which they are printed.
    static var table: [(bits: UInt32, name: String)] { get }
}

extension NamedFlags {
    /// The names of the bits, and what remains as a number; nothing for an empty set.
    package var names: [String] {
        let known = Self.table.filter { rawValue & $0.bits != 0 }
        let rest = known.reduce(rawValue) { $0 & ~$1.bits }
        return known.map(\.name) + (rest == 0 ? [] : ["0x" + String(rest, radix: 16)])
    }

    /// `CQP+CBR`, or `none`.
    package var description: String { isEmpty ? "none" : names.joined(separator: "+") }
}
