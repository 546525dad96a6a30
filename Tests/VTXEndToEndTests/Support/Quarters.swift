import VTXFFmpeg
import VTXMedia
import VTXTestMedia

extension VideoRecipe {
    /// Frames that show their rotation.
    static let quarters = VideoRecipe {
        $0.picture = "color=c=black"
        $0.encoder = "libx264"
        $0.frameCount = 12
        // White in the upper left quarter, gray in the upper right one.
        $0.filters = "drawbox=0:0:80:48:white:fill,drawbox=80:0:80:48:gray:fill"
        $0.options = [("preset", "ultrafast"), ("crf", "5")]
    }
}

/// The brightness in the middle of each quarter: upper left, upper right, lower left, lower right.
func corners(_ frame: Frame) -> [Int] {
    let (width, height) = (frame.size.width, frame.size.height)
    return [(1, 1), (3, 1), (1, 3), (3, 3)].map { frame.luma(width * $0.0 / 4, height * $0.1 / 4) }
}
