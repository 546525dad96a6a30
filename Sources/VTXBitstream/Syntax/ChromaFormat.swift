import VTXMedia

/// `chroma_format_idc` and `separate_colour_plane_flag` (H.264 and H.265 Table 6-1).
enum ChromaFormat {
    private static let samplings: [ChromaSampling] = [.monochrome, .yuv420, .yuv422, .yuv444]

    static func sampling(_ idc: Int) -> ChromaSampling {
        samplings.indices.contains(idc) ? samplings[idc] : .yuv420
    }

    /// SubWidthC and SubHeightC; both 1 if cropping counts luma samples.
    static func unit(_ idc: Int) -> PixelSize { PixelSize(idc == 1 || idc == 2 ? 2 : 1, idc == 1 ? 2 : 1) }
}

extension CroppingOffsets {
    /// Returns the size after cropping; never negative.
    func cropped(_ size: PixelSize, unit: PixelSize) -> PixelSize {
        PixelSize(
            max(0, size.width &- unit.width &* (left &+ right)), max(0, size.height &- unit.height &* (top &+ bottom)))
    }
}

/// The cropping on all four sides, in units of the chroma sampling: H.264's frame cropping (7.4.2.1.1), HEVC's
/// conformance window (H.265 7.4.3.2.1) and default display window (E.3.1).
package struct CroppingOffsets: SyntaxStructure {
    package var left = 0
    package var right = 0
    package var top = 0
    package var bottom = 0

    package init() {}

    package init(left: Int, right: Int, top: Int, bottom: Int) {
        self.left = left
        self.right = right
        self.top = top
        self.bottom = bottom
    }

    package mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError) {
        // No picture has a side beyond 65536; sums of such numbers overflow nothing.
        try coder.ue(&left, "crop_left_offset", 0...0xffff)
        try coder.ue(&right, "crop_right_offset", 0...0xffff)
        try coder.ue(&top, "crop_top_offset", 0...0xffff)
        try coder.ue(&bottom, "crop_bottom_offset", 0...0xffff)
    }

    package var isZero: Bool { left == 0 && right == 0 && top == 0 && bottom == 0 }
}
