/// A code that only who has the key can make (RFC 2104), over SHA-256.
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

    /// Takes as long for a wrong value as for the right one.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
