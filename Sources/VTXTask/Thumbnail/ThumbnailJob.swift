/// Draws one picture of a video, small, as JPEG.
package struct ThumbnailJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    /// From the video's beginning; nil for a tenth of the way.
    package var seconds: Double?
    /// The longer side, in pixels. A smaller picture stays as it is.
    package var side = 320
    package var replaces = false

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }

    /// The longest side of a JPEG that is still small.
    package static let sides = 16...2048
}
