import VTXFFmpeg
import VTXMedia

/// The formats of cameras' pictures that can be recorded, by V4L2's four characters; the preferred one first.
enum CameraPixelFormat: String, Sendable, Hashable, CaseIterable {
    /// 4:2:0: what encoders take as it is.
    case nv12 = "NV12"
    case yu12 = "YU12"
    /// 4:2:2, the samples of two pixels in turn.
    case yuyv = "YUYV"
    case uyvy = "UYVY"
    /// Each picture is a JPEG.
    case mjpg = "MJPG"
    case jpeg = "JPEG"

    /// How the samples lie; nil for pictures that have to be decoded.
    var pixelFormat: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .yu12: .i420
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .mjpg, .jpeg: nil
        }
    }

    var isCoded: Bool { pixelFormat == nil }

    /// The number that V4L2 knows it by.
    var fourCC: UInt32 { rawValue.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    init?(fourCC: UInt32) { self.init(rawValue: Self.text(fourCC)) }

    /// `YUYV`, whatever the number is.
    static func text(_ fourCC: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: fourCC >> (8 * $0)) & 0x7f }
        return String(decoding: bytes.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
            .trimmingSpaces
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// How a camera's pictures lie in its memory: plane after plane, with rows that may be longer than the picture.
struct CameraPictureLayout: Sendable, Hashable {
    let format: PixelFormat
    let size: PixelSize
    /// Of the first plane (V4L2: `bytesperline`).
    let bytesPerRow: Int

    /// - Parameter bytesPerRow: as the driver says it; some say 0 for rows without padding.
    init(_ format: PixelFormat, size: PixelSize, bytesPerRow: Int) {
        (self.format, self.size) = (format, size)
        self.bytesPerRow = max(bytesPerRow, format.layout(of: size).first?.rowByteCount ?? 0)
    }

    /// Of each plane: where it begins, and from one row to the next (V4L2, "YUV formats with planar storage": the rows of
    /// Cb and Cr have half the padding of luma's, those of pairs have the same).
    var planes: [(offset: Int, bytesPerRow: Int)] {
        let layouts = format.layout(of: size)
        var offset = 0
        return layouts.enumerated().map { plane, layout in
            let stride = plane > 0 && layouts.count == 3 ? bytesPerRow / 2 : bytesPerRow
            defer { offset += stride * layout.rowCount }
            return (offset, stride)
        }
    }

    /// - Returns: false where the picture is not whole.
    func copy(_ bytes: RawSpan, into frame: Frame) -> Bool {
        for (plane, place) in planes.enumerated() {
            guard place.offset < bytes.byteCount,
                frame.copyPlane(
                    plane, from: bytes.extracting(droppingFirst: place.offset), bytesPerRow: place.bytesPerRow)
            else { return false }
        }
        return true
    }
}
