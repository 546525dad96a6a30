import VTXMedia
import VTXTask

/// Where a resumed transcode goes on.
struct ResumePoint: Sendable, Hashable {
    /// Frames that are there.
    var frameCount: Int
    /// When the last of them is shown.
    var last: MediaTime
    /// The source is damaged up to there: it is decoded once more, so that it is said once more.
    var sawDamage = false
    /// What the frames that are there have taken of the output's rate; nil where it has none to keep.
    var rate: RateAccount?

    func notice(_ plan: TranscodePlan) -> Notice {
        let frames =
            plan.video.expectedFrames.map { "\(frameCount) of \($0) frames" } ?? counted(frameCount, "frame", "frames")
        return Notice(.journalResumed, "resumed at \(clock) (\(frames))")
    }

    /// `0:01:23`.
    private var clock: String {
        let seconds = Int(max(0, last.seconds))
        let digits = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):" + digits.joined(separator: ":")
    }
}

/// Keeps the video's packets from the decoder up to the last place before the resume point at which decoding can begin.
///
/// It holds the packets since that place, until one is past the target: then no later place can be before it. A packet
/// without a presentation time ends that: where its frame belongs is unknown, so all is decoded from there. Pure.
struct ResumeGate<Unit> {
    /// Seconds before the resume point: intra refresh takes its time, and filters look back.
    static var preroll: Double { 2 }

    private let target: Double
    private var held: [Unit] = []
    private var isOpen = false

    /// - Parameters:
    ///   - resume: seconds of the last frame that is there.
    ///   - skips: false where all is decoded.
    init(resume: Double, skips: Bool) {
        target = resume - Self.preroll
        isOpen = !skips
    }

    /// Whether packets are kept back.
    var isClosed: Bool { !isOpen }

    /// - Parameter pts: seconds, as `dts`.
    /// - Returns: what goes on to the decoder now.
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

    /// There are no more packets.
    mutating func finish() -> [Unit] {
        isOpen = true
        defer { held = [] }
        return held
    }
}
