import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTXCapture

@Suite("Frames in a camera's memory")
struct CameraPictureTests {
    /// Rows with padding, also of an odd size; the padding must not be visible.
    @Test(
        "rows are copied without their padding", arguments: CameraPixelFormat.allCases.filter { $0.pixelFormat != nil },
        [0, 2, 38])
    func strides(_ format: CameraPixelFormat, _ padding: Int) throws {
        let pixelFormat = try #require(format.pixelFormat)
        let size = PixelSize(34, 18)
        let planes = pixelFormat.layout(of: size)
        let stride = planes[0].rowByteCount + padding
        let layout = CameraPictureLayout(pixelFormat, size: size, bytesPerRow: stride)
        var memory: [UInt8] = []
        for (index, plane) in planes.enumerated() {
            #expect(layout.planes[index].offset == memory.count)
            let rest = layout.planes[index].bytesPerRow - plane.rowByteCount
            for row in 0..<plane.rowCount {
                memory += (0..<plane.rowByteCount).map { Self.sample(index, row, $0) }
                memory += [UInt8](repeating: 255, count: rest)
            }
        }
        let frame = try Frame(size: size, pixelFormat: pixelFormat)
        let isWhole = layout.copy(memory.span.bytes, into: frame)
        #expect(isWhole)
        for (index, plane) in planes.enumerated() {
            let expected = (0..<plane.rowCount).flatMap { row in
                (0..<plane.rowByteCount).map { Self.sample(index, row, $0) }
            }
            #expect(frame.planeBytes(index) == expected)
        }
    }

    private static func sample(_ plane: Int, _ row: Int, _ column: Int) -> UInt8 {
        UInt8((plane * 83 + row * 7 + column) % 200)
    }

    @Test("a truncated frame is damaged; its last row needs no padding")
    func short() throws {
        let layout = CameraPictureLayout(.nv12, size: PixelSize(16, 8), bytesPerRow: 20)
        let frame = try Frame(size: PixelSize(16, 8), pixelFormat: .nv12)
        let wholeness = [240, 236, 235, 20, 0].map { count in
            let bytes = [UInt8](repeating: 1, count: count)
            return layout.copy(bytes.span.bytes, into: frame)
        }
        #expect(wholeness == [true, true, false, false, false])
    }

    @Test("a driver that reports no row length has rows without padding")
    func unsaid() {
        #expect(CameraPictureLayout(.i420, size: PixelSize(16, 8), bytesPerRow: 0).bytesPerRow == 16)
    }

    @Test("any four characters are a format's number")
    func fourCC() {
        #expect(CameraPixelFormat.yuyv.fourCC == 0x5659_5559)
        #expect(CameraPixelFormat(fourCC: 0x4750_4a4d) == .mjpg)
        #expect(CameraPixelFormat.text(0x2020_3859) == "Y8")
        #expect(CameraPixelFormat(fourCC: 0) == nil && CameraPixelFormat.text(0) == "????")
    }

    @Test("colors are V4L2's, with its defaults for unspecified values")
    func colors() {
        let webcam = ColorDescription(colorspace: 8, transfer: 0, matrix: 0, quantization: 0)
        #expect(webcam == ColorDescription(primaries: 1, transfer: 13, matrix: 6, isFullRange: false))
        let hd = ColorDescription(colorspace: 3, transfer: 0, matrix: 0, quantization: 1)
        #expect(hd == ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true))
    }
}
