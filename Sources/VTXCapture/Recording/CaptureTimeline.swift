import VTXFFmpeg
package import VTXMedia

/// Decides by timestamps which frames of a camera are recorded, and when a camera has stalled. Pure: no clock in it.
package struct CaptureTimeline: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        /// Ticks of `timeBase` since the first frame.
        case record(Int64)
        /// The timestamp does not increase.
        case leaveOut
        /// The requested duration is reached.
        case end
    }

    /// MPEG's time base.
    package static let timeBase = Rational(1, 90_000)
    /// The timeout for a frame, in seconds.
    let timeout: Double

    private let duration: Double?
    /// The first frame's timestamp.
    private(set) var first: MediaTime?
    private var last: Int64 = -1
    private let frameDuration: MediaTime
    /// The start, or the arrival of the last frame.
    private var lastArrival = 0.0
    /// The arrival of the first frame; nil before it.
    private var firstArrival: Double?
    /// The shortest interval between frames after which a burst may follow, in seconds.
    private static let shortestStall = 0.5
    /// Until when late frames come faster than they were taken: as long again as the last stall.
    private var burstEnd = 0.0

    /// - Parameter duration: Seconds; nil for no limit.
    init(duration: Double?, frameRate: Rational) {
        self.duration = duration
        timeout = CaptureFormat.timeout(frameRate)
        frameDuration = MediaTime(1, frameRate.reciprocal)
    }

    /// The end of the last recorded frame, on the frames' clock; nil before the first frame.
    var end: MediaTime? {
        first.map { first in
            let passed = MediaTime(last + frameDuration.rescaled(to: Self.timeBase).ticks, Self.timeBase)
            return MediaTime(first.ticks + passed.rescaled(to: first.timeBase).ticks, first.timeBase)
        }
    }

    /// - Parameter now: Seconds on a monotonic clock.
    mutating func start(at now: Double) { lastArrival = now }

    /// Notes that the camera delivers, even if the frame is damaged.
    mutating func noteArrival(at now: Double) {
        let wait = now - lastArrival
        if firstArrival != nil, wait >= Self.shortestStall { burstEnd = now + wait }
        lastArrival = now
    }

    /// Whether a stall has just ended, and what was sent meanwhile arrives at once.
    func isBurst(at now: Double) -> Bool { now < burstEnd }

    mutating func decide(_ time: MediaTime, now: Double) -> Decision {
        noteArrival(at: now)
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

    /// Makes the timestamp of an audio packet relative to the first frame.
    ///
    /// - Returns: false if it is before that, or after the end.
    func shift(_ packet: Packet) -> Bool {
        guard let first else { return false }
        packet.shift(by: -first.rescaled(to: packet.timeBase).ticks)
        guard let time = packet.presentationTime?.seconds, time >= 0 else { return false }
        return duration.map { time < $0 } ?? true
    }

    func hasStalled(at now: Double) -> Bool { now - lastArrival >= timeout }

    /// Whether the requested duration has passed, even though no frame has arrived since.
    func hasEnded(at now: Double) -> Bool {
        guard let duration, let firstArrival else { return false }
        return now - firstArrival >= duration
    }
}

/// The frames that are missing in the output.
package struct CaptureLosses: Sendable, Hashable {
    /// Dropped by the camera.
    package var missing = 0
    /// Dropped because the encoder was too slow.
    package var dropped = 0
    package var damaged = 0
}
