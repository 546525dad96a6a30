package import VTXBitstream
package import VTXTestMedia

/// Streams that every backend decodes identically.
package enum DecoderCases {
    /// x264's options: consecutive B frames, and referenced ones.
    package static let reordered = [
        "bframes=1:b-adapt=0", "bframes=3:b-pyramid=none:b-adapt=0", "bframes=7:b-pyramid=normal:b-adapt=0",
        "bframes=0",
    ]

    package static let cropped = ["libx264", "libx265"].map { recipe($0, "yuv420p") }
    package static let cropped444 = ["libx264", "libx265"].map { recipe($0, "yuv444p") }

    private static func recipe(_ encoder: String, _ pixelFormat: String) -> VideoRecipe {
        VideoRecipe {
            $0.encoder = encoder
            $0.pixelFormat = pixelFormat
            $0.frameCount = 3
            $0.options = [("preset", "ultrafast")]
            if encoder == "libx265" { $0.options.append(("x265-params", "log-level=error")) }
        }
    }

    /// In the units of the header.
    package static let offsets = [
        CroppingOffsets(left: 1, right: 0, top: 0, bottom: 0), CroppingOffsets(left: 13, right: 0, top: 0, bottom: 0),
        CroppingOffsets(left: 0, right: 3, top: 0, bottom: 5), CroppingOffsets(left: 5, right: 7, top: 3, bottom: 1),
        CroppingOffsets(left: 16, right: 0, top: 8, bottom: 0),
    ]
}
