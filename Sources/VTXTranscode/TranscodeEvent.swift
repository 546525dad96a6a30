/// What a running transcode tells its owner, in this order: one `plan`, then anything, then `finished` and the return,
/// or the throw.
package enum TranscodeEvent: Sendable {
    case planned(TranscodePlan)
    case notice(Notice)
    case progress(Progress)
    /// The output is in place. The GPU is let go of only after this, so that a driver that fails at that comes too late
    /// to matter.
    case finished(TranscodeResult)
}

/// Something the user should know; none of them ends the transcode.
package struct Notice: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// Something of the source is given up: bits, a stream, a tag.
        case downgrade
        /// Something is kept in another form: a subtitle's format, an audio codec.
        case conversion
        /// Software does what hardware was to do, or a simpler mode what a better one was to do.
        case fallback
        /// The source is not as it should be.
        case warning
    }

    package var kind: Kind
    /// Stable, for programs: `downgrade.bitDepth`, `stream.dropped`.
    package var code: String
    package var message: String

    package init(_ kind: Kind, _ code: String, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}

/// How far the transcode is.
package struct Progress: Sendable, Hashable {
    package enum Phase: String, Sendable, Hashable {
        case transcoding
        case finishing
        case verifying
    }

    package var phase: Phase
    package var frames: Int
    /// nil where the source does not say how many there are.
    package var totalFrames: Int?
    /// Output time reached, in seconds from the start.
    package var seconds: Double
    /// nil where the source does not say how long it is.
    package var totalSeconds: Double?
    package var elapsedSeconds: Double
    /// Bytes written so far.
    package var bytes: Int64

    package init(
        phase: Phase, frames: Int, totalFrames: Int?, seconds: Double, totalSeconds: Double?,
        elapsedSeconds: Double, bytes: Int64
    ) {
        self.phase = phase
        self.frames = frames
        self.totalFrames = totalFrames
        self.seconds = seconds
        self.totalSeconds = totalSeconds
        self.elapsedSeconds = elapsedSeconds
        self.bytes = bytes
    }

    package var framesPerSecond: Double { elapsedSeconds > 0 ? Double(frames) / elapsedSeconds : 0 }
    /// Seconds of video per second of time.
    package var speed: Double { elapsedSeconds > 0 ? seconds / elapsedSeconds : 0 }

    package var fraction: Double? {
        guard let totalSeconds, totalSeconds > 0 else { return nil }
        return min(1, max(0, seconds / totalSeconds))
    }

    /// Seconds still to go; nil until it can be told.
    package var remainingSeconds: Double? {
        guard let totalSeconds, speed > 0 else { return nil }
        return max(0, (totalSeconds - seconds) / speed)
    }
}

/// What came of it.
package struct TranscodeResult: Sendable {
    package enum Outcome: String, Sendable, Hashable {
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

    package var exitCode: ExitCode { outcome == .incompleteSource ? .incompleteSource : .success }
}
