package import VTXSystem

/// The names by which the directory of a ladder is recognized.
package enum LadderFiles {
    /// The HLS multivariant playlist.
    package static let playlist = "master.m3u8"
    /// The DASH manifest.
    package static let manifest = "manifest.mpd"
    /// The start of the names of audio files.
    package static let audio = "audio"

    /// The contents of a directory that another ladder may replace.
    package static let contents = AtomicDirectory.Contents(
        marks: [playlist, manifest], extensions: ["mp4", "m3u8", "mpd", "vtt", "jpg"])
}
