import VTXMedia
import VTXTask

/// The point at which a resumed transcode continues.
struct ResumePoint: Sendable, Hashable {
    /// The number of existing frames.
    var frameCount: Int
    /// The presentation time of the last existing frame.
    var last: MediaTime
    /// The presentation time of the first existing frame, from which key frames may be counted.
    var first: MediaTime
    /// Whether the source is corrupt up to this point. It is then decoded again, so that the notices are repeated.
    var sawDamage = false
    /// What the existing frames have used of the rate of each rendition whose rate is limited, by stream.
    var rates: [Int: RateAccount] = [:]

    func notice(_ plan: TranscodePlan) -> Notice {
        let frames =
            plan.video.expectedFrames.map { "\(frameCount) of \($0) frames" } ?? counted(frameCount, "frame", "frames")
        let next = last.seconds - first.seconds + plan.video.frameRate.frameSeconds
        return Notice(.journalResumed, "resumed at \(Self.clock(next)) (\(frames))")
    }

    /// `0:01:23`. Times in milliseconds may be just below a whole second.
    private static func clock(_ time: Double) -> String {
        let seconds = Int(max(0, time + 0.0005))
        let digits = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):" + digits.joined(separator: ":")
    }
}

/// Withholds packets from the decoder up to the last random access point before the resume point.
///
/// It keeps the packets since the last random access point until one is past the target, after which no later point can
/// be before it. A packet without a presentation time opens the gate, because the position of its frame is unknown, and
/// everything from there is decoded. Pure.
struct ResumeGate<Unit> {
    /// The time to decode before the resume point, in seconds: intra refresh takes time, and filters use preceding
    /// frames.
    static var preroll: Double { 2 }

    private let target: Double
    private var held: [Unit] = []
    private var isOpen = false

    /// - Parameters:
    ///   - resume: The presentation time of the last existing frame, in seconds.
    ///   - skips: Whether packets may be skipped. If false, all are decoded.
    init(resume: Double, skips: Bool) {
        target = resume - Self.preroll
        isOpen = !skips
    }

    /// Whether packets are withheld.
    var isClosed: Bool { !isOpen }

    /// - Parameter pts: In seconds, as `dts`.
    /// - Returns: the packets to send to the decoder now.
    mutating func take(_ unit: Unit, pts: Double?, dts: Double?, isRandomAccess: Bool) -> [Unit] {
        if isOpen { return [unit] }
        guard let pts else {
            held.append(unit)
            return finish()
        }
        if isRandomAccess, pts <= target { held = [] }
        held.append(unit)
        return (dts ?? pts) > target ? finish() : []
    }

    /// Returns the remaining packets at the end.
    mutating func finish() -> [Unit] {
        isOpen = true
        defer { held = [] }
        return held
    }
}
