/// Bitmap subtitles to burn in: those of Blu-rays (PGS), DVDs (VobSub) and broadcasts (DVB).
package struct BitmapSubtitles: Sendable, Hashable, Codable {
    package var path: String
    package var streamIndex: Int
    /// Added to a frame's timestamp to get the time in the subtitles' file.
    package var offset: MediaTime
    /// The level of white: 1 in SDR.
    package var whiteLevel: Double
    package var placement: SubtitlePlacement

    /// libavfilter's filter.
    package static let filter = "overlay"

    package init(
        path: String, streamIndex: Int, offset: MediaTime, whiteLevel: Double, placement: SubtitlePlacement
    ) {
        self.path = path
        self.streamIndex = streamIndex
        self.offset = offset
        self.whiteLevel = whiteLevel
        self.placement = placement
    }
}

/// Where a bitmap on the subtitles' canvas lies in a frame. Pure.
package struct SubtitlePlacement: Sendable, Hashable, Codable {
    /// The size of the source's picture, before cropping.
    package var picture: PixelSize
    /// The part of it that frames show.
    package var shown: PixelRegion
    /// The sample aspect ratio of the picture.
    package var aspectRatio: Double
    /// The picture that the subtitles were made for, which may since have been rotated or filtered.
    package var original: Canvas

    package struct Canvas: Sendable, Hashable, Codable {
        package var size: PixelSize
        /// The sample aspect ratio.
        package var aspectRatio: Double
        /// Whether the subtitles have square samples, as on Blu-rays. Otherwise they have the shape of the picture, as
        /// on DVDs.
        package var isSquare: Bool

        package init(size: PixelSize, aspectRatio: Double, isSquare: Bool) {
            (self.size, self.aspectRatio, self.isSquare) = (size, aspectRatio, isSquare)
        }
    }

    package init(picture: PixelSize, shown: PixelRegion, aspectRatio: Double, original: Canvas) {
        self.picture = picture
        self.shown = shown
        self.aspectRatio = aspectRatio
        self.original = original
    }

    /// Returns the position and size of a bitmap in a frame, which shows it whole.
    ///
    /// The middle of the bitmap keeps its place in the picture, which may have another shape than the canvas: the black
    /// bars of a Blu-ray are often removed.
    ///
    /// - Parameters:
    ///   - canvas: The size of the subtitles' screen; that of the original picture if unknown.
    ///   - frame: The size of the frame, in which the shown part may be scaled.
    package func region(of bitmap: PixelRegion, on canvas: PixelSize, in frame: PixelSize) -> PixelRegion {
        let canvas = canvas.width > 0 && canvas.height > 0 ? canvas : original.size
        let across = Double(picture.width) / Double(canvas.width)
        let down = Double(picture.height) / Double(canvas.height)
        let zoom = (
            x: Double(frame.width) / Double(shown.size.width), y: Double(frame.height) / Double(shown.size.height)
        )
        let width = Double(bitmap.size.width) * across * zoom.x
        let height = Double(bitmap.size.height) * across * aspectRatio / original.sampleAspectRatio(on: canvas) * zoom.y
        let fit = min(1, Double(frame.width) / width, Double(frame.height) / height)
        let middle = (
            x: (Double(2 * bitmap.x + bitmap.size.width) / 2 * across - Double(shown.x)) * zoom.x,
            y: (Double(2 * bitmap.y + bitmap.size.height) / 2 * down - Double(shown.y)) * zoom.y
        )
        let (columns, rows) = (
            Self.place(middle.x, width * fit, in: frame.width), Self.place(middle.y, height * fit, in: frame.height)
        )
        return PixelRegion(x: columns.start, y: rows.start, size: PixelSize(columns.length, rows.length))
    }

    /// The distance that a bitmap keeps from an edge beyond which it would be, as a fraction of the frame.
    private static let margin = 0.02

    /// Places a side of a bitmap around its middle, inside the frame.
    private static func place(_ middle: Double, _ length: Double, in whole: Int) -> (start: Int, length: Int) {
        let length = max(1, Int(length.rounded()))
        let (start, last) = (Int((middle - Double(length) / 2).rounded()), max(0, whole - length))
        let margin = min(Int(Double(whole) * margin), last / 2)
        if start < 0 { return (margin, length) }
        return (start > last ? last - margin : start, length)
    }
}

extension SubtitlePlacement.Canvas {
    /// Returns how wide a sample of the subtitles' screen is, relative to its height.
    fileprivate func sampleAspectRatio(on screen: PixelSize) -> Double {
        isSquare ? 1 : aspectRatio * Double(size.width * screen.height) / Double(size.height * screen.width)
    }
}

/// The filters around libavfilter's `overlay`, for bitmaps and for text.
extension FrameFormat {
    /// The range as `scale` names it.
    package var overlayRange: String { color.isFullRange == true ? "pc" : "tv" }

    /// The planar format to convert to before `overlay`, and the filter that keeps the range on the way there and back:
    /// `overlay` would change it. nil for formats that need no conversion.
    package var overlayConversion: (planar: PixelFormat, filter: String)? {
        let planar = PixelFormat.planar(pixelFormat.chroma, bitDepth: pixelFormat.bitDepth)
        guard !pixelFormat.isRGB, pixelFormat != planar else { return nil }
        return (planar, "scale=in_range=\(overlayRange):out_range=\(overlayRange)")
    }
}

extension BitmapSubtitles {
    /// Dims RGB to a level of white.
    package static func dimming(to level: Double) -> String {
        "lutrgb=" + ["r", "g", "b"].map { "\($0)=val*\(level)" }.joined(separator: ":")
    }
}

extension PixelFormat {
    /// The format of libavfilter's `overlay` that keeps all of these samples; nil if there is none.
    package var overlayFormat: String? {
        switch (isRGB, bitDepth, chroma) {
        case (true, 8, _): "gbrp"
        case (false, 8, .yuv422): "yuv422"
        case (false, 8, .yuv444): "yuv444"
        case (false, 8, _): "yuv420"
        case (false, 10, .yuv422): "yuv422p10"
        case (false, 10, .yuv420), (false, 10, .monochrome): "yuv420p10"
        default: nil
        }
    }
}
