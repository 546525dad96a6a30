/// The same numbers in every run (SplitMix64).
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// Bytes that are often 0, 1 or 3, as those are what start codes and emulation prevention are about.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            Bool.random(using: &self)
                ? [0, 0, 0, 1, 3].randomElement(using: &self)! : .random(in: 0...255, using: &self)
        }
    }
}
