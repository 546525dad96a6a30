/// Width and height in pixels.
public struct PixelSize: Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// The size of the picture turned by a quarter.
    public var transposed: PixelSize { PixelSize(height, width) }

    /// More than the 576 lines of standard definition. Where a stream says nothing of its colors, players draw this line.
    package var isHD: Bool { width >= 1280 || height > 576 }

    /// 4:2:0 pictures have half as many chroma rows and columns, so both sides must be even.
    public var roundedDownToEven: PixelSize { PixelSize(max(2, width & ~1), max(2, height & ~1)) }

    /// The size without the column and the row that a chroma sampling has no samples for.
    public func rounded(for chroma: ChromaSampling) -> PixelSize {
        switch chroma {
        case .yuv444, .monochrome: self
        case .yuv422: PixelSize(max(2, width & ~1), height)
        case .yuv420: roundedDownToEven
        }
    }
}

extension PixelSize: CustomStringConvertible {
    public var description: String { "\(width)x\(height)" }

    /// Reads `1280x720`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0
        else { return nil }
        self.init(width, height)
    }
}

/// How a picture of one shape is put into a frame of another: cut to `crop`, scaled to `scaled`, placed in
/// `frame`. Pure arithmetic; both backends' filters follow it.
package struct ScaleGeometry: Sendable, Hashable, Codable {
    package var source: PixelSize
    /// The middle part of the source that is kept.
    package var crop: PixelSize
    /// What that part is scaled to.
    package var scaled: PixelSize
    /// The whole frame; black where `scaled` does not reach.
    package var frame: PixelSize

    /// - Parameter sampleAspectRatio: the source's; anything not positive means square samples.
    package init(
        source: PixelSize, sampleAspectRatio: Rational, frame: PixelSize, scaling: ScalingMode, frameIsSquare: Bool
    ) {
        self.source = source
        self.frame = frame
        crop = source
        scaled = frame
        let sampleAspect = frameIsSquare && sampleAspectRatio.isPositive ? sampleAspectRatio.value : 1
        let shape = Double(source.width) * sampleAspect / Double(source.height)
        let frameShape = Double(frame.width) / Double(frame.height)
        // Shapes that differ by less than a pair of pixels are the same shape.
        let tolerance = 2.0 / Double(min(frame.width, frame.height))
        guard abs(shape / frameShape - 1) > tolerance else { return }
        switch scaling {
        case .fill: return
        case .letterbox: scaled = Self.largest(of: shape, in: frame)
        // Of a picture of one row or column, nothing can be cut.
        case .trim where min(source.width, source.height) < 2: return
        case .trim: crop = Self.largest(of: frameShape / sampleAspect, in: source)
        }
    }

    package var needsScaling: Bool { crop != scaled }
    package var needsCropping: Bool { crop != source }
    package var needsPadding: Bool { scaled != frame }

    /// Where the scaled picture lies in the frame; even, for 4:2:0.
    package var padding: (x: Int, y: Int) {
        ((frame.width - scaled.width) / 2 & ~1, (frame.height - scaled.height) / 2 & ~1)
    }

    /// The largest even size of this shape that fits.
    private static func largest(of shape: Double, in box: PixelSize) -> PixelSize {
        let boxShape = Double(box.width) / Double(box.height)
        let size =
            shape > boxShape
            ? PixelSize(box.width, Int((Double(box.width) / shape / 2).rounded()) * 2)
            : PixelSize(Int((Double(box.height) * shape / 2).rounded()) * 2, box.height)
        return PixelSize(max(2, min(box.width, size.width)), max(2, min(box.height, size.height)))
    }
}

/// What happens when the picture's shape is not the output's (VideoToolbox: `kVTScalingMode_*`).
public enum ScalingMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Keep the shape, fill the rest with black.
    case letterbox
    /// Keep the shape, cut off what sticks out.
    case trim
    /// Stretch to the output's shape.
    case fill
}

/// How a player turns and mirrors the decoded picture: the 3x3 matrix of ISO/IEC 14496-12 (`tkhd`), in 16.16
/// and 2.30 fixed point, row by row.
public struct DisplayMatrix: Sendable, Hashable {
    public var elements: [Int32]

    public static let identity = DisplayMatrix([65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30])

    public init(_ elements: [Int32]) {
        precondition(elements.count == 9, "a display matrix has nine elements")
        self.elements = elements
    }

    /// What the matrix does, when it is one of the eight turns and mirrors by quarters.
    public enum Orientation: String, Sendable, Hashable, CaseIterable, Codable {
        case upright
        case rotated90 = "rotated 90"
        case rotated180 = "rotated 180"
        case rotated270 = "rotated 270"
        case mirrored
        case mirroredRotated90 = "mirrored, rotated 90"
        case mirroredRotated180 = "mirrored, rotated 180"
        case mirroredRotated270 = "mirrored, rotated 270"

        /// `mirrored, rotated 90 degrees`.
        package var inDegrees: String { rawValue.contains("rotated") ? "\(rawValue) degrees" : rawValue }

        /// True when width and height change places.
        public var isTransposed: Bool {
            switch self {
            case .rotated90, .rotated270, .mirroredRotated90, .mirroredRotated270: true
            default: false
            }
        }
    }

    /// Clockwise, as a viewer sees it; nil for a matrix that also scales, shears or turns by odd angles.
    public var orientation: Orientation? {
        let signs = [elements[0], elements[1], elements[3], elements[4]].map { $0.signum() }
        let magnitudes = Set([elements[0], elements[1], elements[3], elements[4]].map(\.magnitude))
        guard magnitudes.subtracting([0]).count == 1 else { return nil }
        switch signs {
        case [1, 0, 0, 1]: return .upright
        case [0, 1, -1, 0]: return .rotated90
        case [-1, 0, 0, -1]: return .rotated180
        case [0, -1, 1, 0]: return .rotated270
        case [-1, 0, 0, 1]: return .mirrored
        case [0, 1, 1, 0]: return .mirroredRotated270
        case [1, 0, 0, -1]: return .mirroredRotated180
        case [0, -1, -1, 0]: return .mirroredRotated90
        default: return nil
        }
    }
}
