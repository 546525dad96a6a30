import VTXMedia
import VTXTask

/// Adapts the maximum bit rate of an encoder to the slowest live output, by additive increase and multiplicative
/// decrease. Pure: no clock in it.
struct AdaptiveBitrate: Sendable, Hashable {
    /// An output with more than this much unsent video, in seconds, is too slow. It drops frames at 5 seconds.
    private static let maxBacklog = 1.0
    /// An output with less than this much keeps up.
    private static let minBacklog = 0.25
    /// The factor of a decrease, and the seconds until the next one, in which the backlog can shrink.
    private static let (decrease, decreaseInterval) = (0.7, 2.0)
    /// The fraction of the requested bit rate that an increase adds, and the seconds without a backlog before it.
    private static let (increase, increaseInterval) = (0.1, 5.0)
    /// The minimum, as a fraction of the requested bit rate.
    private static let minimum = 0.15

    /// The requested or default maximum.
    let requested: Int
    private(set) var current: Int
    private var lastChange = -Double.infinity
    private var lastBacklog = -Double.infinity

    init(_ requested: Int) { (self.requested, current) = (requested, requested) }

    var isLowered: Bool { current < requested }

    /// Says whether the bit rate is lowered, or the requested one again.
    var notice: Notice {
        let text: Message = "\(requested / 1000) kb/s"
        return Notice(
            .captureBitrate,
            isLowered
                ? "a live output is too slow for \(text); the bit rate is lowered" : "the bit rate is \(text) again")
    }

    /// - Parameters:
    ///   - backlog: The duration of the video that the slowest output has not sent yet, in seconds.
    ///   - now: Any monotonic time, in seconds.
    /// - Returns: the bit rate for the next frames if it changes.
    mutating func observe(backlog: Double, at now: Double) -> Int? {
        if backlog > Self.minBacklog { lastBacklog = now }
        let wanted =
            if backlog > Self.maxBacklog, now - lastChange >= Self.decreaseInterval {
                max(Double(current) * Self.decrease, Double(requested) * Self.minimum)
            } else if now - max(lastChange, lastBacklog) >= Self.increaseInterval {
                min(Double(current) + Double(requested) * Self.increase, Double(requested))
            } else {
                Double(current)
            }
        let bitrate = Int(wanted.rounded())
        guard bitrate != current else { return nil }
        (current, lastChange) = (bitrate, now)
        return current
    }
}

extension AdaptiveBitrate {
    /// Returns a maximum that network outputs have if none is requested: 0.1 bits per pixel in H.264 (6.2 Mb/s for
    /// 1080p at 30 frames a second), about what live services recommend.
    static func defaultMaximum(_ size: PixelSize, _ frameRate: Rational, _ codec: VideoCodec) -> Int {
        let bitsPerPixel: Double =
            switch codec {
            case .h264: 0.1
            case .hevc: 0.07
            case .av1: 0.06
            }
        return Int((Double(size.width * size.height) * frameRate.value * bitsPerPixel).rounded())
    }
}
