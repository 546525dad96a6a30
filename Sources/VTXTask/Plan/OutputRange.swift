package import VTXMedia

/// The part of the source that the output contains, and the mapping of its timestamps.
package struct OutputRange: Sendable, Hashable, Codable {
    /// The offset subtracted from every timestamp.
    package var offset: MediaTime
    /// The time from which to read, on the source's timeline; nil for the beginning.
    package var seekTarget: MediaTime?
    /// The start in seconds of output time. Earlier frames are dropped.
    package var start: Double?
    /// The end in seconds of output time. Frames at or after it are dropped.
    package var end: Double?
    /// The expected duration of the output in seconds, if the source specifies one.
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
    /// The time before the first sample that a decoder needs to converge, in seconds (RFC 7845 4.6: 80 ms; HE-AAC: 117
    /// ms).
    package static let preroll = 0.2

    /// Whether the source is transcoded from its beginning to its end.
    package var isWhole: Bool { start == nil && end == nil }

    /// The output time, in seconds, at which the source's time is zero. An edit list hides what is earlier.
    package var origin: Double { -offset.seconds }

    /// Returns the expected number of frames; nil if the duration is unknown.
    ///
    /// - Parameter indexed: The number of packets in the source's index; 0 if there is none. Audio that ends after the
    ///   video makes the duration a frame longer.
    package func expectedFrames(at rate: Rational, indexed: Int = 0) -> Int? {
        guard rate.isPositive, let expectedSeconds else { return nil }
        let frames = Int((expectedSeconds * rate.value).rounded())
        return isWhole && frames == indexed + 1 ? indexed : frames
    }

    /// Whether the time is in the range. Both ends are rounded to the time's ticks.
    package func contains(_ time: MediaTime) -> Bool { hasBegun(at: time) && !isOver(at: time) }

    /// Whether the time is at or after the start of the range.
    package func hasBegun(at time: MediaTime) -> Bool { time.ticks >= ticks(start, time) ?? .min }

    /// Whether the time is at or after the end of the range.
    package func isOver(at time: MediaTime) -> Bool { ticks(end, time).map { time.ticks >= $0 } ?? false }

    /// Converts seconds to ticks of that time; nil without seconds.
    package func ticks(_ seconds: Double?, _ time: MediaTime) -> Int64? {
        seconds.map { MediaTime(seconds: $0).rescaled(to: time.timeBase).ticks }
    }
}
