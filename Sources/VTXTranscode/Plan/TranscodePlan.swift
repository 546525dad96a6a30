package import VTXMedia

/// Everything that will be done, decided before the first frame. `--explain` prints it.
package struct TranscodePlan: Sendable {
    package var input: String
    package var output: String
    package var container: Container
    package var video: VideoPlan
    package var streams: [StreamPlan]
    package var keepsChapters: Bool
    /// Each decision in words: what was chosen and why.
    package var decisions: [Decision]
    package var notices: [Notice]
    /// About the same with `ffmpeg`, one argument an element, the program first.
    package var ffmpegCommand: [String]
}

/// One choice and its reason, for people: `codec`, `H.264`, `no hardware here encodes HEVC`.
package struct Decision: Sendable, Hashable {
    package var subject: String
    package var choice: String
    package var reason: String

    package init(_ subject: String, _ choice: String, because reason: String) {
        self.subject = subject
        self.choice = choice
        self.reason = reason
    }
}
