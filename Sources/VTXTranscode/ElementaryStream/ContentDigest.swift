/// Tells whether what was read back is what was written, without keeping either (FNV-1a, of 64 bits).
struct ContentDigest: Equatable {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    private var byteCount: Int64 = 0
    private(set) var unitCount = 0

    /// The next bytes, however they are cut.
    mutating func add(_ bytes: RawSpan) {
        byteCount += Int64(bytes.byteCount)
        var hash = hash
        for offset in 0..<bytes.byteCount {
            hash = (hash ^ UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) &* 0x100_0000_01b3
        }
        self.hash = hash
    }

    /// A NAL unit; where it ends counts too.
    mutating func add(unit: RawSpan) {
        add(unit)
        hash = (hash ^ UInt64(unit.byteCount)) &* 0x100_0000_01b3
        unitCount += 1
    }
}
