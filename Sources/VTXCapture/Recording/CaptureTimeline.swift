import VTXFFmpeg
package import VTXMedia

/// What becomes of a camera's pictures by their times, and when a camera counts as stalled. Pure: no clock in it.
package struct CaptureTimeline: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        /// Ticks of `timeBase` since the first picture.
        case record(Int64)
        /// Its time is not later than that of the one before.
        case leaveOut
        /// The recording is as long as was asked for.
        case end
    }

    /// As MPEG counts.
    package static let timeBase = Rational(1, 90_000)
    /// Seconds without a picture after which no more are waited for.
    let timeout: Double

    private let duration: Double?
    /// The first picture's time.
    private(set) var first: MediaTime?
    private var last: Int64 = -1
    /// When it began, or the last picture came.
    private var lastArrival = 0.0
    /// When the first picture came; nil before it.
    private var firstArrival: Double?

    /// - Parameter duration: seconds; nil for any time.
    init(duration: Double?, frameRate: Rational) {
        self.duration = duration
        timeout = CaptureFormat.timeout(frameRate)
    }

    /// - Parameter now: seconds on a clock that never goes back.
    mutating func start(at now: Double) { lastArrival = now }

    mutating func decide(_ time: MediaTime, now: Double) -> Decision {
        lastArrival = now
        firstArrival = firstArrival ?? now
        let first = first ?? time
        self.first = first
        let passed = MediaTime(time.rescaled(to: first.timeBase).ticks - first.ticks, first.timeBase)
        let ticks = passed.rescaled(to: Self.timeBase).ticks
        if let duration, passed.seconds >= duration { return .end }
        guard ticks > last else { return .leaveOut }
        last = ticks
        return .record(ticks)
    }

    /// Gives a packet of audio its time since the first picture.
    ///
    /// - Returns: false for one that is before that, or after the end.
    func admits(_ packet: Packet) -> Bool {
        guard let first else { return false }
        packet.shift(by: -first.rescaled(to: packet.timeBase).ticks)
        guard let time = packet.presentationTime?.seconds, time >= 0 else { return false }
        return duration.map { time < $0 } ?? true
    }

    func hasStalled(at now: Double) -> Bool { now - lastArrival >= timeout }

    /// Whether the recording is as long as was asked for, though no picture has come that shows it.
    func hasEnded(at now: Double) -> Bool {
        guard let duration, let firstArrival else { return false }
        return now - firstArrival >= duration
    }
}

/// What did not reach the output.
package struct CaptureLosses: Sendable, Hashable {
    /// Dropped by the camera.
    package var missing = 0
    /// The encoder was too slow for them.
    package var dropped = 0
    package var damaged = 0
}
