/// A rectangle in a frame, in pixels from the top left.
package struct PixelRegion: Sendable, Hashable, Codable {
    package var x: Int
    package var y: Int
    package var size: PixelSize

    package init(x: Int = 0, y: Int = 0, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// Parses `1920x800+0+140`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = PixelSize(String(parts[0])), let x = Int(parts[1]), let y = Int(parts[2]),
            x >= 0, y >= 0
        else { return nil }
        self.init(x: x, y: y, size: size)
    }

    package func lies(in whole: PixelSize) -> Bool { x + size.width <= whole.width && y + size.height <= whole.height }

    /// Returns the position of the region after the whole frame has been rotated.
    package func rotated(by orientation: DisplayMatrix.Orientation, in whole: PixelSize) -> PixelRegion {
        let transform = orientation.transform
        let region = transform.isTransposed ? PixelRegion(x: y, y: x, size: size.transposed) : self
        let frame = transform.isTransposed ? whole.transposed : whole
        return PixelRegion(
            x: transform.mirrorsColumns ? frame.width - region.x - region.size.width : region.x,
            y: transform.mirrorsRows ? frame.height - region.y - region.size.height : region.y, size: region.size)
    }
}

extension PixelRegion: CustomStringConvertible {
    package var description: String { "\(size)+\(x)+\(y)" }
}

/// A crop for frames of one size, applied in proportion to frames of any other size.
package struct PictureCrop: Sendable, Hashable, Codable {
    package var region: PixelRegion
    package var whole: PixelSize

    package init(_ region: PixelRegion, of whole: PixelSize) {
        self.region = region
        self.whole = whole
    }

    package func region(in size: PixelSize) -> PixelRegion {
        guard size != whole else { return region }
        let (x, width) = Self.share(region.x, region.size.width, of: whole.width, in: size.width)
        let (y, height) = Self.share(region.y, region.size.height, of: whole.height, in: size.height)
        return PixelRegion(x: x, y: y, size: PixelSize(width, height))
    }

    /// Even, for 4:2:0.
    private static func share(_ start: Int, _ length: Int, of whole: Int, in side: Int) -> (Int, Int) {
        let scaled = (start * side / whole & ~1, max(2, length * side / whole & ~1))
        return scaled.0 + scaled.1 <= side ? scaled : (0, side)
    }
}

extension DisplayMatrix.Orientation {
    /// The orientation as steps: a transposition, then flips.
    struct Transform: Hashable {
        var isTransposed: Bool
        /// Whether left and right are swapped.
        var mirrorsColumns: Bool
        /// Whether top and bottom are swapped.
        var mirrorsRows: Bool

        init(_ isTransposed: Bool, columns: Bool, rows: Bool) {
            (self.isTransposed, mirrorsColumns, mirrorsRows) = (isTransposed, columns, rows)
        }
    }

    var transform: Transform {
        switch self {
        case .upright: Transform(false, columns: false, rows: false)
        case .rotated90: Transform(true, columns: true, rows: false)
        case .rotated180: Transform(false, columns: true, rows: true)
        case .rotated270: Transform(true, columns: false, rows: true)
        case .mirrored: Transform(false, columns: true, rows: false)
        case .mirroredRotated90: Transform(true, columns: true, rows: true)
        case .mirroredRotated180: Transform(false, columns: false, rows: true)
        case .mirroredRotated270: Transform(true, columns: false, rows: false)
        }
    }

    private init(_ transform: Transform) { self = Self.allCases.first { $0.transform == transform } ?? .upright }

    /// The orientation that reverses this one.
    package var inverse: Self {
        guard transform.isTransposed else { return self }
        return Self(Transform(true, columns: transform.mirrorsRows, rows: transform.mirrorsColumns))
    }

    /// Returns the orientation equal to this one followed by another.
    package func followed(by other: Self) -> Self {
        let (first, second) = (transform, other.transform)
        let columns = second.isTransposed ? first.mirrorsRows : first.mirrorsColumns
        let rows = second.isTransposed ? first.mirrorsColumns : first.mirrorsRows
        return Self(
            Transform(
                first.isTransposed != second.isTransposed, columns: columns != second.mirrorsColumns,
                rows: rows != second.mirrorsRows))
    }
}

/// A region of a frame to encode at a higher or lower quality than the rest.
public struct RegionOfInterest: Sendable, Hashable {
    /// The horizontal position, in pixels of the encoded picture from the left.
    public var x: Int
    public var y: Int
    public var size: PixelSize
    /// The offset added to the quantizer. Negative values raise the quality; 6 steps double the precision.
    public var qpOffset: Int

    /// The range of offsets, which is that of 8-bit H.264 and HEVC.
    public static let qpOffsets = -51...51

    public init(x: Int, y: Int, size: PixelSize, qpOffset: Int) {
        self.x = x
        self.y = y
        self.size = size
        self.qpOffset = qpOffset
    }

    /// Returns the region that covers a picture.
    package static func whole(_ picture: PixelSize, qpOffset: Int) -> RegionOfInterest {
        RegionOfInterest(x: 0, y: 0, size: picture, qpOffset: qpOffset)
    }

    /// Whether the region lies completely inside a picture of this size.
    package func isInside(_ picture: PixelSize) -> Bool {
        x >= 0 && y >= 0 && size.width > 0 && size.height > 0 && size.width <= picture.width
            && size.height <= picture.height && x <= picture.width - size.width && y <= picture.height - size.height
    }
}
