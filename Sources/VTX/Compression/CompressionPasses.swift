import VTXMedia
import VTXSession
import VTXSystem

/// The state of a session's two passes.
struct CompressionPasses: Sendable {
    /// The current pass; nil before, between and after the passes.
    private(set) var current: EncodingPass?
    private var next: EncodingPass.Number? = .first
    private var statistics: PassStatistics?
    /// The number of frames in the current pass and in the first pass.
    private var count = 0
    private var firstCount = 0

    /// - Parameter configuration: That of the session.
    mutating func begin(_ configuration: VideoEncoderConfiguration) throws(SessionError) {
        guard current == nil else { throw SessionError(.badParameter, "the previous pass has not ended") }
        guard let next else { throw SessionError(.badParameter, "both passes are done; there is no third one") }
        guard configuration.hardware != .require else {
            throw SessionError(.propertyNotSupported, "hardware encodes in one pass, and software is not allowed")
        }
        let obstacle =
            configuration.quality != nil
            ? "a constant quality"
            : configuration.isRealTime
                ? "real time" : configuration.dataRateLimits.isEmpty ? nil : "data-rate limits"
        if let obstacle {
            throw SessionError(.badParameter, "two passes cannot have \(obstacle); allowed: an average bit rate")
        }
        let kept: PassStatistics
        if let statistics { kept = statistics } else { kept = try Self.makeStatistics() }
        statistics = kept
        current = EncodingPass(next, statistics: kept.path)
        count = 0
    }

    private static func makeStatistics() throws(SessionError) -> PassStatistics {
        do throws(SystemError) { return try PassStatistics() } catch {
            throw SessionError(.allocationFailed, "the statistics of a pass cannot be stored: \(error)")
        }
    }

    /// Counts a frame.
    mutating func note() throws(SessionError) {
        guard let current else { return }
        guard current.number == .first || count < firstCount else {
            throw SessionError(
                .badParameter, "the second pass has more frames than the first one, which had \(firstCount)")
        }
        count += 1
    }

    /// - Returns: whether another pass follows.
    mutating func end() throws(SessionError) -> Bool {
        guard let current else { throw SessionError(.badParameter, "no pass has begun") }
        guard count > 0 else { throw SessionError(.badParameter, "a pass without frames cannot end") }
        self.current = nil
        next = current.number == .first ? .second : nil
        if current.number == .first { firstCount = count } else { statistics = nil }
        return next != nil
    }

    /// Thrown if a property that determines the encoder changes during a pass.
    static let changed = SessionError(.badParameter, "properties cannot change during a pass")
    static let unfinished = SessionError(
        .badParameter, "during a pass, only endPass() completes its frames")
}
