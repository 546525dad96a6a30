import VTXFFmpeg
import VTXMedia

/// The supported formats of cameras, by V4L2's four-character codes, in order of preference.
enum CameraPixelFormat: String, Sendable, Hashable, CaseIterable {
    /// 4:2:0: accepted by encoders without conversion.
    case nv12 = "NV12"
    case yu12 = "YU12"
    /// 4:2:2, packed.
    case yuyv = "YUYV"
    case uyvy = "UYVY"
    /// Each frame is a JPEG.
    case mjpg = "MJPG"
    case jpeg = "JPEG"
    /// Each buffer is an access unit with start codes. Last, because a lost frame shows in those that follow.
    case h264 = "H264"

    /// The pixel format; nil for frames that must be decoded.
    var pixelFormat: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .yu12: .i420
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .mjpg, .jpeg, .h264: nil
        }
    }

    /// libavcodec's name of the decoder; nil for uncompressed frames.
    var codecName: String? {
        switch self {
        case .mjpg, .jpeg: "mjpeg"
        case .h264: "h264"
        case .nv12, .yu12, .yuyv, .uyvy: nil
        }
    }

    var isJPEG: Bool { codecName == "mjpeg" }

    /// V4L2's number.
    var fourCC: UInt32 { rawValue.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    init?(fourCC: UInt32) { self.init(rawValue: Self.text(fourCC)) }

    /// Formats a number as `YUYV`.
    static func text(_ fourCC: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: fourCC >> (8 * $0)) & 0x7f }
        return String(decoding: bytes.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
            .trimmingSpaces
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// The layout of a camera's frames in memory: plane after plane, possibly with padded rows.
struct CameraPictureLayout: Sendable, Hashable {
    let format: PixelFormat
    let size: PixelSize
    /// The stride of the first plane (V4L2: `bytesperline`).
    let bytesPerRow: Int

    /// - Parameter bytesPerRow: The driver's value; some report 0 for rows without padding.
    init(_ format: PixelFormat, size: PixelSize, bytesPerRow: Int) {
        (self.format, self.size) = (format, size)
        self.bytesPerRow = max(bytesPerRow, format.layout(of: size).first?.rowByteCount ?? 0)
    }

    /// The offset and stride of each plane (V4L2, "YUV formats with planar storage": the rows of Cb and Cr have half
    /// the padding of luma's; interleaved ones have the same).
    var planes: [(offset: Int, bytesPerRow: Int)] {
        let layouts = format.layout(of: size)
        var offset = 0
        return layouts.enumerated().map { plane, layout in
            let stride = plane > 0 && layouts.count == 3 ? bytesPerRow / 2 : bytesPerRow
            defer { offset += stride * layout.rowCount }
            return (offset, stride)
        }
    }

    /// - Returns: false if the frame is incomplete.
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
