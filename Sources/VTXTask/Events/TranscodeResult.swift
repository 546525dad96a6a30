/// What came of it.
package struct TranscodeResult: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case completed
        /// The source ended early or was damaged; see the notices.
        case incompleteSource
        /// The output existed and was left alone.
        case skipped
    }

    package var outcome: Outcome
    package var output: String
    package var frames: Int
    package var seconds: Double
    package var bytes: Int64
    package var elapsedSeconds: Double
    package var notices: [Notice]

    package init(
        outcome: Outcome, output: String, frames: Int, seconds: Double, bytes: Int64, elapsedSeconds: Double,
        notices: [Notice]
    ) {
        self.outcome = outcome
        self.output = output
        self.frames = frames
        self.seconds = seconds
        self.bytes = bytes
        self.elapsedSeconds = elapsedSeconds
        self.notices = notices
    }
}

extension TranscodeResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case outcome = "status"
        case output
        case frames
        case seconds
        case bytes
        case elapsedSeconds
        case notices
    }
}
