package import VTXMedia

/// Which part of the source the output has, and how its timestamps become the output's.
package struct OutputRange: Sendable, Hashable, Codable {
    /// Taken off every timestamp.
    package var offset: MediaTime
    /// Where to start reading, on the source's timeline; nil for the beginning.
    package var seekTarget: MediaTime?
    /// Seconds of the output; what is earlier is left out.
    package var start: Double?
    /// Seconds of the output; what is there or later is left out.
    package var end: Double?
    /// Seconds that the output will last, where the source says so.
    package var expectedSeconds: Double?

    package init(
        offset: MediaTime, seekTarget: MediaTime? = nil, start: Double? = nil, end: Double? = nil,
        expectedSeconds: Double? = nil
    ) {
        self.offset = offset
        self.seekTarget = seekTarget
        self.start = start
        self.end = end
        self.expectedSeconds = expectedSeconds
    }
}

extension OutputRange {
    /// Seconds before its first sample that a decoder needs to get it right (RFC 7845 4.6: 80 ms; HE-AAC: 117 ms).
    package static let preroll = 0.2

    /// The source is transcoded from its beginning to its end.
    package var isWhole: Bool { start == nil && end == nil }

    /// Seconds of the output at which the source's time is zero. An edit list hides what is earlier.
    package var origin: Double { -offset.seconds }

    /// Frames that the output will have; nil where its length is not known.
    package func expectedFrames(at rate: Rational) -> Int? {
        rate.isPositive ? expectedSeconds.map { Int(($0 * rate.value).rounded()) } : nil
    }

    /// Both ends are rounded to the time's own ticks.
    package func contains(_ time: MediaTime) -> Bool { hasBegun(at: time) && !isOver(at: time) }

    /// Whether the time is at the start of the range, or after it.
    package func hasBegun(at time: MediaTime) -> Bool { time.ticks >= ticks(start, time) ?? .min }

    /// Whether the time is at the end of the range, or after it.
    package func isOver(at time: MediaTime) -> Bool { ticks(end, time).map { time.ticks >= $0 } ?? false }

    /// In ticks of that time; nil without seconds.
    package func ticks(_ seconds: Double?, _ time: MediaTime) -> Int64? {
        seconds.map { MediaTime(seconds: $0).rescaled(to: time.timeBase).ticks }
    }
}
