import VTXFFmpeg
import VTXLibVA
import VTXSession

/// Pairs each frame with those before and after it, for deinterlacers that look to both sides. Frames that are not to
/// be deinterlaced are not held back.
struct DeinterlaceReferences {
    struct Picture {
        var frame: Frame
        /// The nearest first.
        var before: [Frame]
        var after: [Frame]
        /// False near the ends, and beside a picture of another size or format.
        var hasAll: Bool
    }

    private let references: (before: Int, after: Int)
    private let isWanted: @Sendable (Frame) -> Bool
    private var waiting: [Frame] = []
    private var before: [Frame] = []
    private var isAtEnd = false

    /// - Parameter references: how many pictures the driver wants to see, on either side.
    init(references: (before: Int, after: Int), isWanted: @escaping @Sendable (Frame) -> Bool) {
        self.references = references
        self.isWanted = isWanted
    }

    mutating func add(_ frame: Frame) { waiting.append(frame) }

    mutating func end() { isAtEnd = true }

    mutating func next() -> Picture? {
        // A progressive stream is not made to wait for a neighbor that is not read.
        guard let frame = waiting.first, waiting.count > references.after || isAtEnd || !isWanted(frame) else {
            return nil
        }
        waiting.removeFirst()
        defer { remember(frame) }
        let (past, future) = (
            Self.fitting(before, to: frame), Self.fitting(waiting.prefix(references.after), to: frame)
        )
        return Picture(
            frame: frame, before: past, after: future,
            hasAll: past.count == references.before && future.count == references.after)
    }

    private mutating func remember(_ frame: Frame) {
        guard references.before > 0 else { return }
        if before.count == references.before { before.removeLast() }
        before.insert(frame, at: 0)
    }

    /// Those that can be seen together with the frame.
    private static func fitting(_ frames: some Sequence<Frame>, to frame: Frame) -> [Frame] {
        Array(frames.prefix { $0.size == frame.size && $0.pixelFormat == frame.pixelFormat })
    }
}

/// Which of a driver's deinterlacers to use.
struct DeinterlacingChoice: Sendable {
    var algorithm: DeinterlacingAlgorithm
    /// For pictures that lack the neighbors that `algorithm` wants to see. Some drivers then hand back the fields as
    /// they are, and say nothing.
    let alone = DeinterlacingAlgorithm.bob

    /// nil where the driver makes no whole picture of two fields; weaving them together is none.
    init?(_ listed: [DeinterlacingAlgorithm]) {
        guard listed.contains(.bob), let best = listed.filter({ $0 != .weave }).max() else { return nil }
        algorithm = best
    }
}
