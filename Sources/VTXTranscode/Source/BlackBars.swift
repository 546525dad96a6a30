import VTXMedia

/// The black bars in sampled frames of a video.
struct BlackBars: Sendable, Hashable {
    /// The region that is not black in any frame, before rotation; nil if all frames are black.
    var picture: PixelRegion?
    var whole: PixelSize
    /// The number of frames examined.
    var frames: Int
    /// The number of sampled positions, each beginning at a key frame; nil if all frames were examined.
    var places: Int?
    /// Whether frames of another size follow, to which the result does not apply.
    var changesSize = false
}
