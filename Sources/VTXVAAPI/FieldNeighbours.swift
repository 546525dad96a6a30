import VTXFFmpeg
import VTXLibVA

/// Pairs each frame with those before and after it, for deinterlacers that look to both sides. Where nothing is to be
/// deinterlaced, or by an algorithm that looks at one frame only, frames are not held back.
struct FieldNeighbours {
    struct Picture {
        var frame: Frame
        /// The nearest first.
        var before: [Frame]
        var after: [Frame]
    }

    private let reach: Int
    private var waiting: [Frame] = []
    private var before: [Frame] = []
    private var isAtEnd = false

    init(algorithm: DeinterlacingAlgorithm?, isWanted: Bool) {
        reach = isWanted && (algorithm.map { $0 > .weave } ?? false) ? 1 : 0
    }

    mutating func add(_ frame: Frame) { waiting.append(frame) }

    mutating func end() { isAtEnd = true }

    mutating func next() -> Picture? {
        // A progressive stream is not made to wait for a neighbour that nobody looks at.
        guard let frame = waiting.first, waiting.count > reach || isAtEnd || !frame.isInterlaced else { return nil }
        waiting.removeFirst()
        defer { before = Array(([frame] + before).prefix(reach)) }
        return Picture(frame: frame, before: before, after: Array(waiting.prefix(reach)))
    }
}
