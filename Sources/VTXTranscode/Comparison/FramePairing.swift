/// Pairs the frames of two files that are shown at the same time, counted from each file's first frame.
///
/// Pure: times in, a step out.
enum FramePairing {
    /// The tolerance for rounded timestamps: containers round, some to the millisecond, and the first timestamp as
    /// well.
    static let tolerance = 0.0025

    /// The times of a file's next two frames, in seconds; nil if there is none.
    struct Ahead: Sendable, Hashable {
        var first: Double?
        var second: Double?
    }

    /// What to do with the next frames.
    enum Step: Sendable, Hashable {
        case pair
        /// The original's frame has no counterpart.
        case passOriginal
        case passOutput
        case end
    }

    static func step(original: Ahead, output: Ahead) -> Step {
        guard let one = original.first else { return output.first == nil ? .end : .passOutput }
        guard let other = output.first else { return .passOriginal }
        let distance = abs(one - other)
        guard distance <= tolerance else { return one < other ? .passOriginal : .passOutput }
        // At rates above the tolerance, the nearest frame is the pair.
        if let next = original.second, abs(next - other) < distance { return .passOriginal }
        if let next = output.second, abs(next - one) < distance { return .passOutput }
        return .pair
    }
}
