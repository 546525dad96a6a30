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
        let known = length ?? min(Double(Self.count) * Self.seconds, request.duration ?? .infinity)
        self.init(from: request.start ?? 0, length: known, count: Self.count, seconds: Self.seconds)
    }

    /// - Parameters:
    ///   - start: In seconds, in the time of a request.
    ///   - seconds: The length of each of the parts.
    init(from start: Double, length: Double, count: Int, seconds: Double) {
        guard length > Double(count) * seconds * 1.5 else {
            parts = [Part(start: start, duration: length)]
            return
        }
        parts = (0..<count).map { place in
            let middle = length * (Double(place) + 0.5) / Double(count)
            return Part(start: start + middle - seconds / 2, duration: seconds)
        }
    }

    var duration: Double { parts.reduce(0) { $0 + $1.duration } }
}
