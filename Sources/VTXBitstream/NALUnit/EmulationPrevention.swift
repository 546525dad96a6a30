/// The bytes 03 that keep start codes out of a NAL unit (H.264 7.4.1.1, H.265 7.4.2.1:
/// `emulation_prevention_three_byte`).
package enum EmulationPrevention {
    /// The RBSP of a NAL unit's payload: every 03 after two zeros goes.
    ///
    /// - Parameters:
    ///   - range: the payload, without the NAL unit's header; inside of `bytes`.
    ///   - limit: stop after this many bytes of RBSP: a slice header does not need the slice.
    package static func remove(from bytes: RawSpan, _ range: Range<Int>, limit: Int = .max) -> [UInt8] {
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

    /// The NAL unit's payload of an RBSP: 03 goes in wherever 00, 01, 02 or 03 would follow two zeros, and at the end
    /// of an RBSP that ends in a zero.
    package static func insert(into rbsp: [UInt8]) -> [UInt8] {
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
