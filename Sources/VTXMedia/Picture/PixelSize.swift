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
