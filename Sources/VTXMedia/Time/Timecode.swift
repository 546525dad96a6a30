/// A timecode (SMPTE ST 12-1): the label of a frame.
package struct Timecode: Sendable, Hashable {
    /// The number of the frame since 00:00:00:00.
    package private(set) var frame: Int
    private let framesPerSecond: Int
    /// The labels left out at the start of each minute but every tenth; 0 without drop frame.
    private let dropped: Int

    /// Parses `01:00:00:00`, or `01:00:00;00` for drop frame; nil for any other text.
    package init?(_ text: String, at rate: Rational) {
        guard rate.isPositive else { return nil }
        let fields = text.split(omittingEmptySubsequences: false) { ":;.".contains($0) }.map { Int($0) ?? -1 }
        framesPerSecond = Int(rate.value.rounded())
        // 2 labels at 29.97, 4 at 59.94 frames a second.
        dropped = text.contains { ";.".contains($0) } ? framesPerSecond / 15 : 0
        guard fields.count == 4, framesPerSecond > 0, (0..<24).contains(fields[0]), (0..<60).contains(fields[1]),
            (0..<60).contains(fields[2]), (0..<framesPerSecond).contains(fields[3])
        else { return nil }
        let minutes = fields[0] * 60 + fields[1]
        frame = (minutes * 60 + fields[2]) * framesPerSecond + fields[3] - dropped * (minutes - minutes / 10)
    }

    /// Returns the timecode of a later frame, which starts again after 24 hours.
    package func advanced(by count: Int) -> Timecode {
        var later = self
        later.frame = (frame + count) % (24 * 6 * framesPerTenMinutes)
        return later
    }

    private var framesPerTenMinutes: Int { 600 * framesPerSecond - 9 * dropped }

    package var text: String {
        let (tens, rest) = frame.quotientAndRemainder(dividingBy: framesPerTenMinutes)
        let minutes = max(0, rest - dropped) / (60 * framesPerSecond - dropped)
        let label = frame + dropped * (9 * tens + minutes)
        let seconds = label / framesPerSecond
        let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Self.twoDigits).joined(separator: ":")
        return fields + (dropped > 0 ? ";" : ":") + Self.twoDigits(label % framesPerSecond)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
