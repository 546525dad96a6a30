/// The progress of a transcode.
package struct Progress: Sendable, Hashable {
    package enum Phase: String, Sendable, Hashable, Codable {
        /// Searches for a quality by encoding samples.
        case searching
        case transcoding
        /// Compares two files.
        case comparing
        case finishing
        case verifying
    }

    package var phase: Phase
    package var frames: Int
    /// nil if the source does not specify it.
    package var totalFrames: Int?
    /// The position in the output, in seconds.
    package var seconds: Double
    /// nil if the source does not specify it.
    package var totalSeconds: Double?
    package var elapsedSeconds: Double
    /// The number of bytes written so far.
    package var bytes: Int64
    /// The frames of an earlier run, and their duration in seconds.
    package var resumedFrames = 0
    package var resumedSeconds = 0.0
    /// The latency of a recording: the maximum time from a frame's capture to its output, in the last second; nil if
    /// nothing is captured.
    package var latencySeconds: Double?

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

    package var framesPerSecond: Double {
        elapsedSeconds > 0 ? Double(max(0, frames - resumedFrames)) / elapsedSeconds : 0
    }
    /// The speed, in seconds of video per second.
    package var speed: Double { elapsedSeconds > 0 ? max(0, seconds - resumedSeconds) / elapsedSeconds : 0 }

    package var fraction: Double? {
        guard let totalSeconds, totalSeconds > 0 else { return nil }
        return min(1, max(0, seconds / totalSeconds))
    }

    /// The estimated remaining time, in seconds; nil until it can be estimated.
    package var remainingSeconds: Double? {
        guard let totalSeconds, speed > 0 else { return nil }
        return max(0, (totalSeconds - seconds) / speed)
    }
}

extension Progress: Codable {
    private enum Key: CodingKey {
        case phase
        case frame
        case totalFrames
        case bytes
        case outTimeMicroseconds
        case totalSeconds
        case elapsedSeconds
        case resumedFrames
        case resumedSeconds
        case latencySeconds
        // Written for readers, never read.
        case fps
        case speed
        case percent
        case etaSeconds
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            phase: try container.decode(Phase.self, forKey: .phase),
            frames: try container.decode(Int.self, forKey: .frame),
            totalFrames: try container.decodeIfPresent(Int.self, forKey: .totalFrames),
            seconds: Double(try container.decode(Int64.self, forKey: .outTimeMicroseconds)) / 1_000_000,
            totalSeconds: try container.decodeIfPresent(Double.self, forKey: .totalSeconds),
            elapsedSeconds: try container.decode(Double.self, forKey: .elapsedSeconds),
            bytes: try container.decode(Int64.self, forKey: .bytes))
        resumedFrames = try container.decodeIfPresent(Int.self, forKey: .resumedFrames) ?? 0
        resumedSeconds = try container.decodeIfPresent(Double.self, forKey: .resumedSeconds) ?? 0
        latencySeconds = try container.decodeIfPresent(Double.self, forKey: .latencySeconds)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(phase, forKey: .phase)
        try container.encode(frames, forKey: .frame)
        try container.encodeIfPresent(totalFrames, forKey: .totalFrames)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(Int64(exactly: (seconds * 1_000_000).rounded()) ?? 0, forKey: .outTimeMicroseconds)
        try container.encodeIfPresent(totalSeconds?.thousandths, forKey: .totalSeconds)
        try container.encode(elapsedSeconds.thousandths, forKey: .elapsedSeconds)
        if resumedFrames > 0 {
            try container.encode(resumedFrames, forKey: .resumedFrames)
            try container.encode(resumedSeconds.thousandths, forKey: .resumedSeconds)
        }
        try container.encodeIfPresent(latencySeconds?.thousandths, forKey: .latencySeconds)
        try container.encode(framesPerSecond.thousandths, forKey: .fps)
        try container.encode(speed.thousandths, forKey: .speed)
        try container.encodeIfPresent(fraction.map { ($0 * 100).thousandths }, forKey: .percent)
        try container.encodeIfPresent(remainingSeconds?.thousandths, forKey: .etaSeconds)
    }
}
