import VTX

extension PixelBuffer {
    /// The picture as a mirror shows it; NV12 only.
    func mirrored() throws -> PixelBuffer {
        let planes = try [bytes(ofPlane: 0), bytes(ofPlane: 1)]
        let width = size.width
        return try PixelBuffer(size: size, format: .nv12, color: color) { plane, bytes, bytesPerRow in
            // A sample of the second plane is a pair of bytes.
            let step = plane + 1
            let count = (width + plane) / step
            for row in 0..<planes[plane].count / (count * step) {
                for offset in 0..<count * step {
                    let (column, part) = (offset / step, offset % step)
                    let from = (row * count + count - 1 - column) * step + part
                    bytes.storeBytes(
                        of: planes[plane][from], toByteOffset: row * bytesPerRow + offset, as: UInt8.self)
                }
            }
        }
    }
}
