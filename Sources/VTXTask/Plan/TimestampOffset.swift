package import VTXMedia

/// How the source's timestamps become the output's, and which part of the source there is.
package struct TimestampOffset: Sendable, Hashable, Codable {
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
