import VTX

/// Frames that are easy to generate and to distinguish.
enum Pictures {
    /// A moving gradient with a changing color.
    static func moving(
        _ index: Int, size: PixelSize = PixelSize(160, 96), format: PixelFormat = .nv12,
        color: ColorDescription = .unspecified
    ) throws -> PixelBuffer {
        try PixelBuffer(size: size, format: format, color: color) { plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let (x, y) = (offset % bytesPerRow, offset / bytesPerRow)
                let value = plane == 0 ? 32 + (x * 2 + y + index * 3) % 180 : 100 + (index * 2 + y) % 60
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// Noise, which no encoder can compress.
    static func noise(_ seed: Int, size: PixelSize = PixelSize(160, 96)) throws -> PixelBuffer {
        var state = UInt64(truncatingIfNeeded: seed &+ 1) &* 0x9e37_79b9_7f4a_7c15
        return try PixelBuffer(size: size, format: .nv12) { _, bytes, _ in
            for offset in 0..<bytes.byteCount {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: state), toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// Two grays, alternating per sample: scaling removes them.
    static func checkered(_ size: PixelSize) throws -> PixelBuffer {
        try PixelBuffer(size: size, format: .i420) { plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let isLight = (offset / bytesPerRow + offset % bytesPerRow) % 2 == 0
                bytes.storeBytes(of: plane > 0 ? 128 : isLight ? 140 : 100, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// One gray everywhere.
    static func gray(_ luma: UInt8, size: PixelSize) throws -> PixelBuffer {
        try PixelBuffer(size: size, format: .i420) { plane, bytes, _ in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: plane == 0 ? luma : 128, toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}

extension PixelBuffer {
    /// The PSNR of two frames of one size, by their luma.
    func psnr(against other: PixelBuffer) throws -> Double {
        let (left, right) = (try bytes(ofPlane: 0), try other.bytes(ofPlane: 0))
        guard left.count == right.count else { return 0 }
        let error = zip(left, right).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        guard error > 0 else { return .infinity }
        // 10 * log10(255^2 / x) without a mathematics library, to a tenth or so: 3.01 dB for each factor of 2.
        let ratio = 255.0 * 255.0 * Double(left.count) / Double(error)
        return 3.0103 * (Double(ratio.exponent) + ratio.significand - 1)
    }
}
