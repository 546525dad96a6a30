public import VTX

/// Pictures for programs without a camera: a gradient that moves.
public struct GeneratedPicture: Sendable {
    private let pool: PixelBufferPool

    /// In NV12, video range, BT.709.
    public init(size: PixelSize) throws { pool = try PixelBufferPool(size: size, format: .nv12) }

    public func make(_ index: Int) throws -> PixelBuffer {
        let color = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
        return try pool.makeBuffer(color: color) { plane, bytes, bytesPerRow in
            for offset in 0..<bytes.byteCount {
                let (x, y) = (offset % bytesPerRow, offset / bytesPerRow)
                let value = plane == 0 ? 16 + (x + 2 * y + 4 * index) % 220 : 96 + (y + index) % 64
                bytes.storeBytes(of: UInt8(value), toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}
