/// The checksum for torn or damaged records (CRC-32C, RFC 3720 B.4).
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

    /// Processes eight bytes with eight tables, whose partial remainders are independent ("slicing by eight").
    private mutating func addEight(_ word: UInt64) {
        var rest = word ^ UInt64(register)
        register = 0
        for table in stride(from: 7, through: 0, by: -1) {
            register ^= Self.tables[table << 8 + Int(UInt8(truncatingIfNeeded: rest))]
            rest >>= 8
        }
    }

    /// Table N of 256 entries: the remainder of a byte followed by N bytes.
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

/// A digest that identifies content (FIPS 180-4).
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block: [UInt8] = []
    private var words = [UInt32](repeating: 0, count: 16)
    private var byteCount: UInt64 = 0

    package init() { block.reserveCapacity(64) }

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            block.append(byte)
            byteCount += 1
            if block.count == 64 { compressBlock() }
        }
    }

    package mutating func add(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount {
            if block.isEmpty, bytes.byteCount - offset >= 64 {
                for index in 0..<16 {
                    let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4 * index, as: UInt32.self)
                    words[index] = UInt32(bigEndian: word)
                }
                compress()
                byteCount += 64
                offset += 64
            } else {
                add(CollectionOfOne(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)))
                offset += 1
            }
        }
    }

    /// Returns the 32 bytes of the digest.
    package consuming func finish() -> [UInt8] {
        let bitCount = byteCount * 8
        block.append(0x80)
        if block.count > 56 {
            block += [UInt8](repeating: 0, count: 64 - block.count)
            compressBlock()
        }
        block += [UInt8](repeating: 0, count: 56 - block.count)
        block += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
        compressBlock()
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.add(bytes)
        return digest.finish().hexadecimal
    }

    private mutating func compressBlock() {
        for index in 0..<16 {
            words[index] = block[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        block.removeAll(keepingCapacity: true)
        compress()
    }

    /// Processes the block in `words`.
    private mutating func compress() {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            // From the seventeenth on, each word replaces the one sixteen before it.
            if index >= 16 {
                let (early, late) = (words[(index + 1) & 15], words[(index + 14) & 15])
                let s0 = early.rotated(7) ^ early.rotated(18) ^ early >> 3
                let s1 = late.rotated(17) ^ late.rotated(19) ^ late >> 10
                words[index & 15] = words[index & 15] &+ s0 &+ words[(index + 9) & 15] &+ s1
            }
            let s1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let choice = e & f ^ ~e & g
            let added = h &+ s1 &+ choice &+ Self.constants[index] &+ words[index & 15]
            let s0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let majority = a & b ^ a & c ^ b & c
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ added, c, b, a, added &+ s0 &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ value }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

extension [UInt8] {
    /// Two lowercase digits per byte.
    package var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A message authentication code (RFC 2104) with SHA-256.
package enum HMAC {
    package static func sha256(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        var short = key
        if key.count > 64 {
            var digest = SHA256()
            digest.add(key)
            short = digest.finish()
        }
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        var inner = SHA256()
        inner.add(padded.map { $0 ^ 0x36 })
        inner.add(message)
        var outer = SHA256()
        outer.add(padded.map { $0 ^ 0x5c })
        outer.add(inner.finish())
        return outer.finish()
    }

    /// Compares in constant time.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
