package import VTXMedia

/// The byte stream format: start codes between NAL units (H.264 Annex B, H.265 Annex B).
package enum AnnexB {
    package static let startCode: [UInt8] = [0, 0, 0, 1]

    /// The NAL units of a buffer, in order; what lies before the first start code is none, and empty ones are
    /// left out. Zeros after a unit (`trailing_zero_8bits`, or a fourth byte of the next start code) are not its own.
    package static func units(in bytes: RawSpan, codec: VideoCodec) -> [NALUnit] {
        var units: [NALUnit] = []
        forEachUnit(in: bytes, codec: codec) { units.append($0) }
        return units
    }

    /// The same without an array.
    package static func forEachUnit(in bytes: RawSpan, codec: VideoCodec, _ body: (NALUnit) -> Void) {
        var code = StartCode.first(in: bytes)
        while let begin = code.map({ $0 &+ 3 }) {
            code = StartCode.first(in: bytes, from: begin)
            let end = withoutTrailingZeros(begin..<(code ?? bytes.byteCount), in: bytes)
            if begin < end { body(NALUnit(codec: codec, range: begin..<end, in: bytes)) }
        }
    }

    /// How many NAL units there are: the measure of the scanner alone, for benchmarks.
    package static func countUnits(in bytes: RawSpan) -> Int {
        var count = 0
        forEachUnit(in: bytes, codec: .h264) { _ in count &+= 1 }
        return count
    }

    /// True where a buffer begins with a start code of three or four bytes.
    package static func beginsWithStartCode(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= 3, bytes[0] == 0, bytes[1] == 0 else { return false }
        return bytes[2] == 1 || bytes.byteCount >= 4 && bytes[2] == 0 && bytes[3] == 1
    }

    /// A byte stream of the units of another buffer, with four-byte start codes.
    package static func write(_ units: [NALUnit], of bytes: RawSpan) -> [UInt8] {
        var stream: [UInt8] = []
        stream.reserveCapacity(units.reduce(0) { $0 &+ $1.range.count &+ startCode.count })
        for unit in units { append(unit, of: bytes, to: &stream) }
        return stream
    }

    /// What a byte stream makes of a unit that stood after a length: zeros at its end are not its own (7.4.1), and a
    /// start code in it, which has no business there, ends it.
    package static func units(within unit: NALUnit, of bytes: RawSpan) -> [NALUnit] {
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

    /// One more NAL unit, after a start code of four bytes.
    package static func append(_ unit: NALUnit, of bytes: RawSpan, to stream: inout [UInt8]) {
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
    /// Appends a part of a span; the range has to lie inside of it.
    mutating func append(_ bytes: RawSpan, _ range: Range<Int>) {
        bytes.extracting(range).withUnsafeBytes { raw in
            // Only buffers of the array's own element are copied as a block.
            raw.withMemoryRebound(to: UInt8.self) { self.append(contentsOf: $0) }
        }
    }
}
