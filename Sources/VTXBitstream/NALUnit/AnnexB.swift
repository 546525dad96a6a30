public import VTXMedia
import VTXSystem

/// The byte stream format, with start codes between NAL units (H.264 Annex B, H.265 Annex B).
public enum AnnexB {
    /// `zero_byte` and `start_code_prefix_one_3bytes` (H.264 B.1.1).
    public static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Returns the NAL units of a buffer, in order, ignoring empty ones and anything before the first start code. Zeros
    /// after a unit (`trailing_zero_8bits`, or a fourth byte of the next start code) are not part of it.
    public static func units(in bytes: RawSpan, codec: NALCodec) -> [NALUnit] {
        var units: [NALUnit] = []
        forEachUnit(in: bytes, codec: codec) { units.append($0) }
        return units
    }

    /// Calls a closure with each NAL unit, without creating an array.
    public static func forEachUnit(in bytes: RawSpan, codec: NALCodec, _ body: (NALUnit) -> Void) {
        var code = StartCode.first(in: bytes)
        while let begin = code.map({ $0 &+ 3 }) {
            code = StartCode.first(in: bytes, from: begin)
            let end = withoutTrailingZeros(begin..<(code ?? bytes.byteCount), in: bytes)
            if begin < end { body(NALUnit(codec: codec, range: begin..<end, in: bytes)) }
        }
    }

    /// Returns the number of NAL units: measures the scanner alone, for benchmarks.
    package static func countUnits(in bytes: RawSpan) -> Int {
        var count = 0
        forEachUnit(in: bytes, codec: .h264) { _ in count &+= 1 }
        return count
    }

    /// Whether a buffer begins with a start code of three or four bytes.
    public static func beginsWithStartCode(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= 3, bytes[0] == 0, bytes[1] == 0 else { return false }
        return bytes[2] == 1 || bytes.byteCount >= 4 && bytes[2] == 0 && bytes[3] == 1
    }

    /// Returns a byte stream of the units of another buffer, with four-byte start codes.
    public static func write(_ units: [NALUnit], of bytes: RawSpan) -> [UInt8] {
        var stream: [UInt8] = []
        stream.reserveCapacity(units.reduce(0) { $0 &+ $1.range.count &+ startCode.count })
        for unit in units { append(unit, of: bytes, to: &stream) }
        return stream
    }

    /// Returns how a byte stream represents a unit that had a length prefix: without zeros at its end (7.4.1), and
    /// split at any start code, which should not occur in it.
    public static func units(within unit: NALUnit, of bytes: RawSpan) -> [NALUnit] {
        let own = bytes.extracting(0..<unit.range.upperBound)
        var (units, begin) = ([NALUnit](), unit.range.lowerBound)
        while begin < own.byteCount {
            let code = StartCode.first(in: own, from: begin) ?? own.byteCount
            let end = withoutTrailingZeros(begin..<code, in: own)
            if begin < end { units.append(NALUnit(codec: unit.codec, range: begin..<end, in: own)) }
            begin = code &+ 3
        }
        return units
    }

    /// Appends a NAL unit after a four-byte start code.
    public static func append(_ unit: NALUnit, of bytes: RawSpan, to stream: inout [UInt8]) {
        stream += startCode
        stream.append(bytes, unit.range)
    }

    private static func withoutTrailingZeros(_ range: Range<Int>, in bytes: RawSpan) -> Int {
        var end = range.upperBound
        while end > range.lowerBound && bytes[end &- 1] == 0 { end &-= 1 }
        return end
    }
}

extension [UInt8] {
    /// Appends a part of a span; the range must lie inside it.
    mutating func append(_ bytes: RawSpan, _ range: Range<Int>) { append(bytes.extracting(range)) }
}

/// Finds `00 00 01` (H.264 B.1.1, H.265 B.2.1: `start_code_prefix_one_3bytes`), 128 bytes at a time.
package enum StartCode {
    /// Returns the offset of the first start code at or after `start`; nil if there is none.
    ///
    /// A fourth zero byte before it belongs to the code as well, but is not needed to find the unit.
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

    /// Searches a few bytes one by one.
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

    /// Skips vectors without a start code.
    private static func skipVectors(in bytes: RawSpan, from start: Int) -> Int {
        guard start <= bytes.byteCount else { return start }
        var offset = start
        // The loads below have no checks: these conditions are what keeps each of them inside of the span.
        while bytes.byteCount &- offset >= 8 &* vectorSize, !hasZero(leastOfEight(bytes, offset)) {
            offset &+= 8 &* vectorSize
        }
        while bytes.byteCount &- offset >= vectorSize, !hasZero(masked(bytes, offset)) { offset &+= vectorSize }
        return offset
    }

    /// At any alignment, a start code contains a pair `00 00`, or `00 01` after a pair that ends in 00. Without the bit
    /// of that 1, both are zero, and hardly any other pair is. The highest bit is cleared as well: the minimum of
    /// signed numbers is one instruction on every processor, and only then is zero the minimum.
    @inline(__always)
    private static func masked(_ bytes: RawSpan, _ offset: Int) -> Pairs {
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Pairs.self) & Pairs(repeating: 0x7eff)
    }

    /// One comparison for eight vectors: their minimum contains a zero if any of them does.
    @inline(__always)
    private static func leastOfEight(_ bytes: RawSpan, _ offset: Int) -> Pairs {
        pointwiseMin(leastOfFour(bytes, offset), leastOfFour(bytes, offset &+ 4 &* vectorSize))
    }

    @inline(__always)
    private static func leastOfFour(_ bytes: RawSpan, _ offset: Int) -> Pairs {
        let low = pointwiseMin(masked(bytes, offset), masked(bytes, offset &+ vectorSize))
        let high = pointwiseMin(
            masked(bytes, offset &+ 2 &* vectorSize), masked(bytes, offset &+ 3 &* vectorSize))
        return pointwiseMin(low, high)
    }

    @inline(__always)
    private static func hasZero(_ pairs: Pairs) -> Bool {
        let hits = unsafeBitCast(pairs .== Pairs(repeating: 0), to: SIMD2<UInt64>.self)
        return hits[0] | hits[1] != 0
    }
}

/// The bytes 03 that prevent start codes in a NAL unit (H.264 7.4.1.1, H.265 7.4.2.1:
/// `emulation_prevention_three_byte`).
public enum EmulationPrevention {
    /// Returns the RBSP of a NAL unit's payload, without the 03 after two zeros.
    ///
    /// - Parameters:
    ///   - range: The payload without the NAL unit's header; inside `bytes`.
    ///   - limit: The maximum size of the RBSP: a slice header does not need the slice.
    public static func remove(from bytes: RawSpan, _ range: Range<Int>, limit: Int = .max) -> [UInt8] {
        var rbsp: [UInt8] = []
        rbsp.reserveCapacity(min(range.count, max(0, limit)))
        var zeros = 0
        for offset in range {
            guard rbsp.count < limit else { break }
            let byte = bytes[offset]
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros &+ 1 : 0
            rbsp.append(byte)
        }
        return rbsp
    }

    /// Returns the payload of an RBSP, with 03 inserted where 00, 01, 02 or 03 would follow two zeros, and at the end
    /// if the RBSP ends in a zero.
    public static func insert(into rbsp: [UInt8]) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(rbsp.count &+ 8)
        var zeros = 0
        for byte in rbsp {
            if zeros >= 2 && byte <= 3 {
                payload.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros &+ 1 : 0
            payload.append(byte)
        }
        if zeros > 0 { payload.append(3) }
        return payload
    }
}
