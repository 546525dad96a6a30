/// Finds `00 00 01` (H.264 B.1.1, H.265 B.2.1: `start_code_prefix_one_3bytes`), 128 bytes at a time.
package enum StartCode {
    /// The offset of the first start code at or after `start`; nil where there is none.
    ///
    /// A fourth zero byte before it belongs to the code too, but finding the unit does not need it.
    package static func first(in bytes: RawSpan, from start: Int = 0) -> Int? {
        let start = max(0, start)
        var next = start
        while next < bytes.byteCount {
            let vector = skipVectors(in: bytes, from: next)
            next = min(vector &+ vectorSize, bytes.byteCount)
            // A code on odd bytes shows in the vector that its second byte is in.
            if let code = first(in: bytes, beginningIn: max(start, vector &- 1)..<next) { return code }
        }
        return nil
    }

    /// Byte by byte, within a few of them.
    private static func first(in bytes: RawSpan, beginningIn range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound, bytes.byteCount &- offset >= 3 {
            // A third byte above 1 is in no start code that begins at any of the three.
            if bytes[offset &+ 2] > 1 {
                offset &+= 3
            } else if bytes[offset] == 0 && bytes[offset &+ 1] == 0 && bytes[offset &+ 2] == 1 {
                return offset
            } else {
                offset &+= 1
            }
        }
        return nil
    }

    /// Pairs of bytes, the first of each in the low half.
    private typealias Pairs = SIMD8<Int16>
    private static let vectorSize = 16

    /// Steps over whole vectors in which no start code shows.
    private static func skipVectors(in bytes: RawSpan, from start: Int) -> Int {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, start <= buffer.count else { return start }
            var offset = start
            // Pointers have no checks: these conditions are what keeps every load below inside of the buffer.
            while buffer.count &- offset >= 8 &* vectorSize, !hasZero(leastOfEight(base + offset)) {
                offset &+= 8 &* vectorSize
            }
            while buffer.count &- offset >= vectorSize, !hasZero(masked(base + offset)) { offset &+= vectorSize }
            return offset
        }
    }

    /// Wherever it begins, a start code makes one pair `00 00`, or `00 01` after a pair that ends in 00. Without the
    /// bit of that 1, both are zero, and hardly anything else is. The highest bit goes too: the least of signed numbers
    /// is one instruction on every processor, and only then is zero the least.
    @inline(__always)
    private static func masked(_ vector: UnsafeRawPointer) -> Pairs {
        vector.loadUnaligned(as: Pairs.self) & Pairs(repeating: 0x7eff)
    }

    /// One comparison for eight vectors: zero is in the least where it is in any.
    @inline(__always)
    private static func leastOfEight(_ block: UnsafeRawPointer) -> Pairs {
        pointwiseMin(leastOfFour(block), leastOfFour(block + 4 &* vectorSize))
    }

    @inline(__always)
    private static func leastOfFour(_ block: UnsafeRawPointer) -> Pairs {
        let low = pointwiseMin(masked(block), masked(block + vectorSize))
        let high = pointwiseMin(masked(block + 2 &* vectorSize), masked(block + 3 &* vectorSize))
        return pointwiseMin(low, high)
    }

    @inline(__always)
    private static func hasZero(_ pairs: Pairs) -> Bool {
        let hits = unsafeBitCast(pairs .== Pairs(repeating: 0), to: SIMD2<UInt64>.self)
        return hits[0] | hits[1] != 0
    }
}
