import Glibc
import VTX

/// A frame in a file in place of a DMA-BUF, with gaps between rows and planes.
final class SharedPicture: Sendable {
    let file: Int32
    let layout: DMABufLayout
    let size: PixelSize
    let format: PixelFormat

    /// The software driver's only modifier that is not linear: rows from the last to the first.
    static let tiled: UInt64 = 0x5f00_0000_0000_0001

    init(_ picture: PixelBuffer, isUpsideDown: Bool = false) throws {
        (size, format) = (picture.size, picture.format)
        var path = Array("/tmp/vtx-shared-XXXXXX".utf8CString)
        file = mkstemp(&path)
        unlink(&path)
        var planes: [DMABufLayout.Plane] = []
        var offset = 64
        for plane in 0..<picture.planeCount {
            let bytes = try picture.bytes(ofPlane: plane)
            let rowCount = plane == 0 ? size.height : (size.height + 1) / 2
            let rowByteCount = bytes.count / rowCount
            let stride = rowByteCount + 32
            for row in 0..<rowCount {
                let place = isUpsideDown ? rowCount - 1 - row : row
                Self.write(
                    Array(bytes[row * rowByteCount..<(row + 1) * rowByteCount]), at: offset + place * stride, to: file)
            }
            planes.append(DMABufLayout.Plane(offset: offset, bytesPerRow: stride))
            offset += stride * (rowCount + 1)
        }
        ftruncate(file, off_t(offset))
        layout = DMABufLayout(objects: [DMABufLayout.Object(descriptor: file)], planes: planes)
    }

    deinit { close(file) }

    /// - Parameter modifier: the declared modifier.
    func picture(
        modifier: UInt64 = DMABufLayout.linear, onRelease: @escaping @Sendable () -> Void = {}
    ) throws -> PixelBuffer {
        var layout = layout
        layout.objects[0].modifier = modifier
        return try PixelBuffer(layout, size: size, format: format, onRelease: onRelease)
    }

    /// The number of this process's descriptors of the file, without the frame's own.
    var useCount: Int {
        (Int32(0)..<1024).count { number in
            var (own, other) = (stat(), stat())
            return number != file && fstat(file, &own) == 0 && fstat(number, &other) == 0
                && (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino)
        }
    }

    /// Fills the frame with one luma value.
    func paint(_ luma: UInt8) {
        let bytes = [UInt8](repeating: luma, count: layout.planes[0].bytesPerRow * size.height)
        Self.write(bytes, at: layout.planes[0].offset, to: file)
    }

    private static func write(_ bytes: [UInt8], at offset: Int, to file: Int32) {
        precondition(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
    }
}
