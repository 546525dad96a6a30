package import VTXMedia

/// The quality of a segment, if each one has its own.
package struct SegmentQuality: Sendable, Hashable, Codable {
    /// In seconds of output time. The segment begins with the first key frame of the source from there on.
    package var start: Double
    package var quality: Quality

    package init(start: Double, quality: Quality) { (self.start, self.quality) = (start, quality) }

    package func ticks(in timeBase: Rational) -> Int64 { MediaTime(seconds: start).rescaled(to: timeBase).ticks }
}

extension [SegmentQuality] {
    /// Returns the quality at a time; nil stands for the beginning.
    package func quality(at time: MediaTime?) -> Quality? {
        let own = time.flatMap { time in last { $0.ticks(in: time.timeBase) <= time.ticks } } ?? first
        return own?.quality
    }
}
