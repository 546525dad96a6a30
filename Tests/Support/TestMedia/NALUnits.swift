package import VTXMedia

/// The NAL unit types of a coded picture, read without a codec.
package enum NALUnits {
    /// - Parameter isAnnexB: start codes; else lengths of four bytes.
    package static func types(_ bytes: [UInt8], _ codec: VideoCodec, isAnnexB: Bool) -> [Int] {
        let offsets = isAnnexB ? startCodes(bytes) : lengths(bytes)
        return offsets.filter { $0 < bytes.count }.map { offset in
            codec == .h264 ? Int(bytes[offset] & 0x1f) : Int(bytes[offset] >> 1 & 0x3f)
        }
    }

    /// H.264 Table 7-1 and H.265 Table 7-1: IDR pictures.
    package static func isIDR(_ type: Int, _ codec: VideoCodec) -> Bool {
        codec == .h264 ? type == 5 : type == 19 || type == 20
    }

    /// SPS and PPS; in HEVC also the VPS.
    package static func parameterSets(_ codec: VideoCodec) -> Set<Int> {
        codec == .h264 ? [7, 8] : [32, 33, 34]
    }

    /// The units between start codes.
    package static func split(annexB bytes: [UInt8]) -> [[UInt8]] {
        let starts = startCodes(bytes)
        return zip(starts, starts.dropFirst().map { $0 - 3 } + [bytes.count]).map { begin, end in
            // A start code of four bytes begins with the zero that no unit ends with.
            Array(bytes[begin..<(end < bytes.count && bytes[end - 1] == 0 ? end - 1 : end)])
        }
    }

    private static func startCodes(_ bytes: [UInt8]) -> [Int] {
        guard bytes.count > 3 else { return [] }
        return (0..<bytes.count - 3).filter { bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 }.map {
            $0 + 3
        }
    }

    private static func lengths(_ bytes: [UInt8]) -> [Int] {
        var offsets: [Int] = []
        var offset = 0
        while offset + 4 < bytes.count {
            offsets.append(offset + 4)
            offset += 4 + bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        return offsets
    }
}
