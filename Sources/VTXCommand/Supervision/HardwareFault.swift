import VTXMedia

/// What a GPU's driver did to the process that it was in.
struct HardwareFault: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case ended(ProcessEnding)
        /// No sign of life for so many seconds.
        case hung(seconds: Double)
    }

    var kind: Kind
    /// nil while the driver was only asked what it can do.
    var frames: Int?
    /// What was coming out; nil where that was not decided yet.
    var codec: VideoCodec?

    /// `the GPU's driver aborted (SIGABRT) after 113 frames`.
    var description: String { "the GPU's driver \(deed) \(time)" }

    private var deed: String {
        switch kind {
        case .ended(let ending): ending.words
        case .hung(let seconds): "did not get on for \(Format.tenths(seconds)) s"
        }
    }

    private var time: String { frames.map { "after \(Format.frames($0))" } ?? "while vtx looked at it" }
}
