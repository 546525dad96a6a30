/// A width and a height, in pixels.
public struct PixelSize: Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// The size after a quarter turn.
    public var transposed: PixelSize { PixelSize(height, width) }

    /// Whether the size exceeds standard definition's 576 lines. Players assume other colors from there on if a stream
    /// declares none.
    package var isHD: Bool { width >= 1280 || height > 576 }

    /// The size rounded down to even numbers, as 4:2:0 requires.
    public var roundedDownToEven: PixelSize { PixelSize(max(2, width & ~1), max(2, height & ~1)) }

    /// The size without a last column or row for which the chroma format has no samples.
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

    /// Parses `1280x720`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0
        else { return nil }
        self.init(width, height)
    }
}

/// The geometry of scaling: the source is cropped to `crop`, scaled to `scaled`, and placed in `frame`. Both backends'
/// filters use it. Pure.
package struct ScaleGeometry: Sendable, Hashable, Codable {
    package var source: PixelSize
    /// The size of the centered part of the source that is kept.
    package var crop: PixelSize
    /// The size to which that part is scaled.
    package var scaled: PixelSize
    /// The size of the whole frame, black outside the scaled part.
    package var frame: PixelSize

    /// - Parameter sampleAspectRatio: That of the source; square samples if not positive.
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

    /// The position of the scaled part in the frame; even, for 4:2:0.
    package var padding: (x: Int, y: Int) {
        ((frame.width - scaled.width) / 2 & ~1, (frame.height - scaled.height) / 2 & ~1)
    }

    /// The largest even size of this aspect ratio that fits.
    private static func largest(of shape: Double, in box: PixelSize) -> PixelSize {
        let boxShape = Double(box.width) / Double(box.height)
        let size =
            shape > boxShape
            ? PixelSize(box.width, Int((Double(box.width) / shape / 2).rounded()) * 2)
            : PixelSize(Int((Double(box.height) * shape / 2).rounded()) * 2, box.height)
        return PixelSize(max(2, min(box.width, size.width)), max(2, min(box.height, size.height)))
    }
}

/// How a frame is fitted into an output of another aspect ratio (VideoToolbox: `kVTScalingMode_*`).
public enum ScalingMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Keep the aspect ratio and pad with black.
    case letterbox
    /// Keep the aspect ratio and crop what does not fit.
    case trim
    /// Stretch to the output's aspect ratio.
    case fill
}

/// A display matrix, by which players rotate and flip the decoded video: the 3x3 matrix of ISO/IEC 14496-12 (`tkhd`),
/// in 16.16 and 2.30 fixed point, row by row.
public struct DisplayMatrix: Sendable, Hashable {
    public var elements: [Int32]

    public static let identity = DisplayMatrix([65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30])

    public init(_ elements: [Int32]) {
        precondition(elements.count == 9, "a display matrix has nine elements")
        self.elements = elements
    }

    /// One of the eight combinations of quarter turns and a flip.
    public enum Orientation: String, Sendable, Hashable, CaseIterable, Codable {
        case upright
        case rotated90 = "rotated 90"
        case rotated180 = "rotated 180"
        case rotated270 = "rotated 270"
        case mirrored
        case mirroredRotated90 = "mirrored, rotated 90"
        case mirroredRotated180 = "mirrored, rotated 180"
        case mirroredRotated270 = "mirrored, rotated 270"

        /// The text in degrees: `mirrored, rotated 90 degrees`.
        package var inDegrees: String { rawValue.contains("rotated") ? "\(rawValue) degrees" : rawValue }

        /// Whether width and height are swapped.
        public var isTransposed: Bool {
            switch self {
            case .rotated90, .rotated270, .mirroredRotated90, .mirroredRotated270: true
            default: false
            }
        }
    }

    /// The orientation, clockwise as seen by the viewer; nil for a matrix that scales, shears or rotates by other
    /// angles.
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
