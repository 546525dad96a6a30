/// The checksum of a torn or damaged record (CRC-32C, RFC 3720 B.4).
package struct CRC32C: Sendable, Hashable {
    private var register: UInt32 = ~0

    package init() {}

    package init(_ bytes: RawSpan) { add(bytes) }

    package mutating func add(_ bytes: RawSpan) {
        var offset = 0
        while offset + 8 <= bytes.byteCount {
            addEight(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            register = register >> 8 ^ Self.tables[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
            offset += 1
        }
    }

    package var value: UInt32 { ~register }

    /// Eight bytes by eight tables: their parts of the remainder are independent ("slicing by eight").
    private mutating func addEight(_ word: UInt64) {
        var rest = word ^ UInt64(register)
        register = 0
        for table in stride(from: 7, through: 0, by: -1) {
            register ^= Self.tables[table << 8 + Int(UInt8(truncatingIfNeeded: rest))]
            rest >>= 8
        }
    }

    /// Table N of 256 entries: the remainder of a byte that N bytes follow.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0x82f6_3b78) }
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append(previous >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: previous))])
        }
        return tables
    }()
}
