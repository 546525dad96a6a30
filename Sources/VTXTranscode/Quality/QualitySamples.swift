import VTXTask

/// The parts of the source that a quality is tried on.
struct QualitySamples: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// Seconds, as a request counts them.
        var start: Double
        var duration: Double
    }

    /// Spread evenly; long enough for a group of pictures.
    private static let (count, seconds) = (10, 5.0)

    let parts: [Part]

    /// All of what is short.
    ///
    /// - Parameter length: seconds of the part that is wanted; nil where the source does not say.
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
