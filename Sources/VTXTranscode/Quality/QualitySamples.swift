import VTXTask

/// The parts of the source with which a quality is tested.
struct QualitySamples: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// In seconds, in the time of a request.
        var start: Double
        var duration: Double
    }

    /// The number of parts, evenly distributed, and the length of each, enough for a GOP.
    private static let (count, seconds) = (10, 5.0)

    let parts: [Part]

    /// Selects the parts; everything if the source is short.
    ///
    /// - Parameter length: The duration of the requested range, in seconds; nil if unknown.
    init(of request: TranscodeRequest, length: Double?) {
        let start = request.start ?? 0
        let whole = Double(Self.count) * Self.seconds
        guard let length, length > whole * 1.5 else {
            parts = [Part(start: start, duration: min(length ?? whole, request.duration ?? .infinity))]
            return
        }
        parts = (0..<Self.count).map { place in
            let middle = length * (Double(place) + 0.5) / Double(Self.count)
            return Part(start: start + middle - Self.seconds / 2, duration: Self.seconds)
        }
    }

    var duration: Double { parts.reduce(0) { $0 + $1.duration } }
}
