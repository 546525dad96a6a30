/// The chroma format (H.264 6.2, H.265 6.2).
public enum ChromaSampling: Int, Sendable, Hashable, Comparable, Codable {
    case monochrome = 0
    case yuv420 = 420
    case yuv422 = 422
    case yuv444 = 444

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `4:2:0`.
    public var ratio: String {
        switch self {
        case .monochrome: "4:0:0"
        case .yuv420: "4:2:0"
        case .yuv422: "4:2:2"
        case .yuv444: "4:4:4"
        }
    }
}

/// A pixel format, regardless of the memory that holds the samples.
public struct PixelFormat: Sendable, Hashable, Codable {
    /// The libavutil name, for example `yuv420p10le` or `nv12`.
    public var name: String
    public var chroma: ChromaSampling
    /// The number of bits per sample.
    public var bitDepth: Int
    public var isRGB: Bool
    public var hasAlpha: Bool
    /// Whether the format itself means full range, as the old `yuvj` formats do.
    public var impliesFullRange: Bool

    public init(
        name: String, chroma: ChromaSampling, bitDepth: Int, isRGB: Bool = false, hasAlpha: Bool = false,
        impliesFullRange: Bool = false
    ) {
        self.name = name
        self.chroma = chroma
        self.bitDepth = bitDepth
        self.isRGB = isRGB
        self.hasAlpha = hasAlpha
        self.impliesFullRange = impliesFullRange
    }

    /// 4:2:0, 8 bits, two planes: Y, and interleaved Cb and Cr (`420YpCbCr8BiPlanar`).
    public static let nv12 = PixelFormat(name: "nv12", chroma: .yuv420, bitDepth: 8)
    /// 4:2:0, 10 bits in the upper bits of 16-bit little-endian words, two planes (`420YpCbCr10BiPlanar`).
    public static let p010 = PixelFormat(name: "p010le", chroma: .yuv420, bitDepth: 10)
    /// 4:2:0, 8 bits, three planes (`420YpCbCr8Planar`).
    public static let i420 = PixelFormat.planar(.yuv420, bitDepth: 8)
    /// Blue, green, red and alpha, 8 bits each (`32BGRA`).
    public static let bgra = PixelFormat(name: "bgra", chroma: .yuv444, bitDepth: 8, isRGB: true, hasAlpha: true)

    /// Red, green, blue and alpha, 8 bits each (`32RGBA`).
    public static let rgba = PixelFormat(name: "rgba", chroma: .yuv444, bitDepth: 8, isRGB: true, hasAlpha: true)
    /// Red, green and blue, 8 bits each (`24RGB`).
    public static let rgb24 = PixelFormat(name: "rgb24", chroma: .yuv444, bitDepth: 8, isRGB: true)
    /// Blue, green and red, 8 bits each (`24BGR`).
    public static let bgr24 = PixelFormat(name: "bgr24", chroma: .yuv444, bitDepth: 8, isRGB: true)
    /// 4:2:2, 8 bits, packed as Y, Cb, Y, Cr (`422YpCbCr8_yuvs`).
    public static let yuyv = PixelFormat(name: "yuyv422", chroma: .yuv422, bitDepth: 8)
    /// 4:2:2, 8 bits, packed as Cb, Y, Cr, Y (`422YpCbCr8`).
    public static let uyvy = PixelFormat(name: "uyvy422", chroma: .yuv422, bitDepth: 8)

    /// Returns the planar format of a chroma format and bit depth, in the host's byte order.
    public static func planar(_ chroma: ChromaSampling, bitDepth: Int) -> PixelFormat {
        let sampling = chroma == .monochrome ? ChromaSampling.yuv420 : chroma
        let name = "yuv\(sampling.rawValue)p" + (bitDepth > 8 ? "\(bitDepth)le" : "")
        return PixelFormat(name: name, chroma: sampling, bitDepth: bitDepth)
    }
}

extension PixelFormat {
    /// Whether the chroma format and bit depth are the same. Only the memory layout may differ, as for `yuv420p` and
    /// `nv12`.
    public func hasSamples(like other: PixelFormat) -> Bool { chroma == other.chroma && bitDepth == other.bitDepth }
}

extension PixelFormat: CustomStringConvertible {
    public var description: String { name }
}

/// The properties of a frame that determine which filters it needs.
package struct FrameFormat: Sendable, Hashable, Codable {
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    package var sampleAspectRatio: Rational
    package var color: ColorDescription
    package var isInterlaced: Bool

    package init(
        size: PixelSize, pixelFormat: PixelFormat, sampleAspectRatio: Rational, color: ColorDescription,
        isInterlaced: Bool
    ) {
        self.size = size
        self.pixelFormat = pixelFormat
        self.sampleAspectRatio = sampleAspectRatio
        self.color = color
        self.isInterlaced = isInterlaced
    }

    /// Whether filters chosen for this format also fit another one. A deinterlacer passes progressive frames through.
    package func accepts(_ other: FrameFormat) -> Bool {
        var same = other
        same.isInterlaced = other.isInterlaced || isInterlaced
        return self == same
    }
}
