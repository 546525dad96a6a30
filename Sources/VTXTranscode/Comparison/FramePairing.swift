/// Which pictures of two files belong together: those that are shown at the same time, counted from each file's first one.
///
/// Pure: times in, a step out.
enum FramePairing {
    /// Containers round times, some to the millisecond, and so the first time as well as every other.
    static let tolerance = 0.0025

    /// Seconds of a file's next two pictures; nil where there is none.
    struct Ahead: Sendable, Hashable {
        var first: Double?
        var second: Double?
    }

    /// What becomes of the next ones.
    enum Step: Sendable, Hashable {
        case pair
        /// The original's has no partner.
        case passOriginal
        case passOutput
        case end
    }

    static func step(original: Ahead, output: Ahead) -> Step {
        guard let one = original.first else { return output.first == nil ? .end : .passOutput }
        guard let other = output.first else { return .passOriginal }
        let distance = abs(one - other)
        guard distance <= tolerance else { return one < other ? .passOriginal : .passOutput }
        // Where pictures come faster than that, the nearest is meant.
        if let next = original.second, abs(next - other) < distance { return .passOriginal }
        if let next = output.second, abs(next - one) < distance { return .passOutput }
        return .pair
    }
}
