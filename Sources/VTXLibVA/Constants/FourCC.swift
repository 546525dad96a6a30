/// Four characters that name a surface's layout, `VA_FOURCC_*`; the first is in the lowest byte.
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

    /// `NV12`; spaces at the end are left out (`Y8`), and what is not printable is a number.
    package var description: String {
        var text = bytes[...]
        while text.last == 0x20 { text = text.dropLast() }
        let isPrintable = !text.isEmpty && text.allSatisfy { (0x21...0x7e).contains($0) }
        return isPrintable ? String(decoding: text, as: UTF8.self) : "0x" + String(rawValue, radix: 16)
    }

    /// Reads what `description` writes; nil for anything else.
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
