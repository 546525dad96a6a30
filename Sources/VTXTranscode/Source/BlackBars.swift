import VTXMedia

/// What frames from all over the video show of black bars.
struct BlackBars: Sendable, Hashable {
    /// What any of the frames has beside black, as samples lie in memory; nil where all of them are black.
    var picture: PixelRegion?
    var whole: PixelSize
    /// How many were looked at.
    var frames: Int
    /// Runs of frames, each from a key frame on; nil where all frames were looked at.
    var places: Int?
    /// Frames of other sizes follow: what is black in these says nothing of those.
    var changesSize = false
}
