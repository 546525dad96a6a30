import VTXMedia

/// An audio stream of the output: which of the source's it is made of, how, and what is said of it:
/// `0:aac:channels=stereo:bitrate=160k:title=Stereo:default`.
package struct AudioTrack: Sendable, Hashable {
    /// Each of the source's streams that it names becomes one; never `none`.
    package var source: StreamFilter
    /// Where it says nothing, what is said for all audio counts.
    package var coding: AudioChoice?
    package var bitrate: Int?
    package var channels: ChannelLimit?
    package var loudness: Int?
    package var marks = StreamMarks()

    package init(_ source: StreamFilter) { self.source = source }
}
