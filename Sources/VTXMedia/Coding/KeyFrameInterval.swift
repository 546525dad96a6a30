/// The longest way from one key frame to the next: a number of frames or of seconds, whichever comes first.
public struct KeyFrameInterval: Sendable, Hashable {
    public var frames: Int?
    public var seconds: Double?

    public init(frames: Int? = nil, seconds: Double? = nil) {
        self.frames = frames
        self.seconds = seconds
    }

    /// The interval in frames at a steady rate; where neither is said, that of five seconds.
    public func frameCount(at frameRate: Rational) -> Int {
        let seconds = frames == nil ? seconds ?? 5 : seconds
        let bySeconds = seconds.map { Self.frameCount($0 * frameRate.value) }
        return [frames, bySeconds].compactMap(\.self).min() ?? 1
    }

    private static func frameCount(_ count: Double) -> Int {
        count.isNaN ? 1 : Int(min(max(count, 1), 1_000_000).rounded())
    }
}

extension KeyFrameInterval: CustomStringConvertible {
    public var description: String {
        let parts = [frames.map { "\($0) frames" }, seconds.map { "\($0) s" }].compactMap(\.self)
        return parts.isEmpty ? "5 s" : parts.joined(separator: " or ")
    }

    /// What `init(_:)` reads: `120`, `5s`, `120,5s`; empty where nothing is said.
    package var text: String {
        [frames.map { "\($0)" }, seconds.map { $0 == $0.rounded() ? "\(Int($0))s" : "\($0)s" }].compactMap(\.self)
            .joined(separator: ",")
    }

    /// Reads `120` (frames), `5s` (seconds) or both, `120,5s`; nil for anything else. An hour is the most.
    public init?(_ text: some StringProtocol) {
        self.init()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part.hasSuffix("s"), let seconds = Double(part.dropLast()), (0.001...3600).contains(seconds),
                self.seconds == nil
            {
                self.seconds = seconds
            } else if let frames = Int(part), frames > 0, frames <= 100_000, self.frames == nil {
                self.frames = frames
            } else {
                return nil
            }
        }
    }
}
