/// Reproducible pseudorandom numbers.
struct Dice {
    private var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed &+ 1) &* 0x9e37_79b9_7f4a_7c15 }

    mutating func roll(_ least: Int, _ most: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return least + Int(state >> 33) % (most - least + 1)
    }

    /// The same bytes in chunks of any size.
    mutating func pieces(_ stream: [UInt8]) -> [[UInt8]] {
        var (rest, pieces) = (stream[...], [[UInt8]]())
        while !rest.isEmpty {
            let piece = rest.prefix(roll(1, 1 << roll(1, 12)))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// Transmission damage: flipped bits, gaps, repetitions, junk, spurious start codes.
    mutating func damage(_ clean: [UInt8]) -> [UInt8] {
        var stream = clean
        for _ in 0..<roll(1, 6) {
            let place = roll(0, max(0, stream.count - 1))
            let end = min(stream.count, place + roll(1, 64))
            switch roll(0, 5) {
            case 0 where !stream.isEmpty: stream[place] ^= UInt8(1 << roll(0, 7))
            case 1: stream.removeSubrange(place..<end)
            case 2: stream.insert(contentsOf: stream[place..<end], at: roll(0, stream.count))
            case 3: stream.insert(contentsOf: (0..<roll(1, 64)).map { _ in UInt8(roll(0, 255)) }, at: place)
            case 4: stream.insert(contentsOf: [0, 0, 1, UInt8(roll(0, 255))], at: place)
            default: stream = Array(stream.prefix(end))
            }
        }
        return stream
    }
}
