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
