import VTXMedia

/// `chroma_format_idc` and `separate_colour_plane_flag` (H.264 and H.265 Table 6-1).
enum ChromaFormat {
    private static let samplings: [ChromaSampling] = [.monochrome, .yuv420, .yuv422, .yuv444]

    static func sampling(_ idc: Int) -> ChromaSampling {
        samplings.indices.contains(idc) ? samplings[idc] : .yuv420
    }

    /// SubWidthC and SubHeightC; both 1 where cropping counts luma samples.
    static func unit(_ idc: Int) -> PixelSize { PixelSize(idc == 1 || idc == 2 ? 2 : 1, idc == 1 ? 2 : 1) }
}

extension CroppingOffsets {
    /// What is left of a size; never negative, whatever the offsets claim.
    func cropped(_ size: PixelSize, unit: PixelSize) -> PixelSize {
        PixelSize(
            max(0, size.width &- unit.width &* (left &+ right)), max(0, size.height &- unit.height &* (top &+ bottom)))
    }
}
