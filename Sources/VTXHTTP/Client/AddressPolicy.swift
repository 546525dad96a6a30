import VTXSystem

/// The addresses that may be connected to. Requests caused by clients must not reach addresses that only this host or
/// its network can reach (server-side request forgery).
package enum AddressPolicy: Sendable, Hashable {
    case any
    /// The public Internet, without this host, private networks, and link-local addresses (IANA's special-purpose
    /// registries).
    case publicOnly

    /// - Parameter address: nil for an address that is not IP.
    func allows(_ address: IPAddress?) -> Bool { self == .any || address.map(Self.isPublic) ?? false }

    /// - Parameter text: A numeric address; for anything else, the result is nil.
    package static func isPublic(_ text: String) -> Bool? { IPAddress(text).map(isPublic) }

    private static func isPublic(_ address: IPAddress) -> Bool {
        address.bytes.count == 4 ? isPublic(v4: number(address.bytes[...])) : isPublic(v6: address.bytes)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func isPublic(v4 address: UInt32) -> Bool {
        !special.contains { network, length in address >> (32 - length) == network >> (32 - length) }
    }

    /// RFC 6890 and its successors: network and prefix length.
    private static let special: [(UInt32, UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
        (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
    ]

    private static func isPublic(v6 bytes: [UInt8]) -> Bool {
        let v4 = { (at: Int) in number(bytes[at..<at + 4]) }
        // Embedded IPv4: mapped, NAT64, 6to4.
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) { return isPublic(v4: v4(12)) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) { return isPublic(v4: v4(12)) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic(v4: v4(2)) }
        // Global unicast is 2000::/3, except Teredo and documentation.
        return bytes[0] & 0xe0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0, 0])
            && !bytes.starts(with: [0x20, 0x01, 0x0d, 0xb8])
    }
}
