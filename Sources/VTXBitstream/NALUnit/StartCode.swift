/// Finds `00 00 01` (H.264 B.1.1, H.265 B.2.1: `start_code_prefix_one_3bytes`), sixty-four bytes at a time.
package enum StartCode {
    /// The offset of the first start code at or behind `start`; nil where there is none.
    ///
    /// A fourth zero byte in front of it belongs to the code too, but nobody needs it to find the unit.
    package static func first(in bytes: RawSpan, from start: Int = 0) -> Int? {
        var offset = skipBlocks(in: bytes, from: max(0, start))
        while bytes.byteCount &- offset >= 3 {
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

    private typealias Lanes = SIMD16<UInt8>
    /// Four vectors, and the two bytes that codes beginning in the last of them reach into.
    private static let reach = 66

    /// Steps over whole blocks in which no start code begins.
    private static func skipBlocks(in bytes: RawSpan, from start: Int) -> Int {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, start <= buffer.count else { return start }
            var offset = start
            // Pointers have no checks: this condition is what keeps every load below inside of the buffer.
            while buffer.count &- offset >= reach, !mayBegin(in: base + offset) { offset &+= 64 }
            return offset
        }
    }

    /// True where a start code begins in the 64 bytes at `block`; 66 bytes are read.
    @inline(__always)
    private static func mayBegin(in block: UnsafeRawPointer) -> Bool {
        // Two zeros in a row are rare in coded data, so the third byte is looked at only where they are.
        hasZero(block, pairs) && hasZero(block, codes)
    }

    /// True where one of 64 lanes is zero.
    @inline(__always)
    private static func hasZero(_ block: UnsafeRawPointer, _ lanes: (UnsafeRawPointer) -> Lanes) -> Bool {
        let low = pointwiseMin(lanes(block), lanes(block + 16))
        let high = pointwiseMin(lanes(block + 32), lanes(block + 48))
        let hits = unsafeBitCast(pointwiseMin(low, high) .== Lanes(repeating: 0), to: SIMD2<UInt64>.self)
        return hits[0] | hits[1] != 0
    }

    /// Zero in each lane that has two zero bytes.
    @inline(__always)
    private static func pairs(at position: UnsafeRawPointer) -> Lanes {
        position.loadUnaligned(as: Lanes.self) | position.loadUnaligned(fromByteOffset: 1, as: Lanes.self)
    }

    /// Zero in each lane whose byte begins a start code.
    @inline(__always)
    private static func codes(at position: UnsafeRawPointer) -> Lanes {
        let third = position.loadUnaligned(fromByteOffset: 2, as: Lanes.self)
        return pairs(at: position) | (third ^ Lanes(repeating: 1))
    }
}
