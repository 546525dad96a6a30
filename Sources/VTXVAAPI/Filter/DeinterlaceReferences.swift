import VTXFFmpeg
import VTXLibVA
import VTXSession

/// Provides each frame with its neighbors, for deinterlacers with references. Frames that are not deinterlaced are not
/// delayed.
struct DeinterlaceReferences {
    struct Picture {
        var frame: Frame
        /// The nearest first.
        var before: [Frame]
        var after: [Frame]
        /// false near the ends, and next to a frame of another size or format.
        var hasAll: Bool
    }

    private let references: (before: Int, after: Int)
    private let isWanted: @Sendable (Frame) -> Bool
    private var waiting: [Frame] = []
    private var before: [Frame] = []
    private var isAtEnd = false

    /// - Parameter references: The number of frames that the driver needs on either side.
    init(references: (before: Int, after: Int), isWanted: @escaping @Sendable (Frame) -> Bool) {
        self.references = references
        self.isWanted = isWanted
    }

    mutating func add(_ frame: Frame) { waiting.append(frame) }

    mutating func end() { isAtEnd = true }

    mutating func next() -> Picture? {
        // A progressive frame does not wait for neighbors that are not used.
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

    /// Returns the frames that can be references of the frame.
    private static func fitting(_ frames: some Sequence<Frame>, to frame: Frame) -> [Frame] {
        Array(frames.prefix { $0.size == frame.size && $0.pixelFormat == frame.pixelFormat })
    }
}

/// Chooses among a driver's deinterlacers.
struct DeinterlacingChoice: Sendable {
    var algorithm: DeinterlacingAlgorithm
    /// For frames without the neighbors that `algorithm` needs. Some drivers then silently return the fields unchanged.
    let alone = DeinterlacingAlgorithm.bob

    /// nil if the driver cannot deinterlace; weaving fields together does not count.
    init?(_ listed: [DeinterlacingAlgorithm]) {
        guard listed.contains(.bob), let best = listed.filter({ $0 != .weave }).max() else { return nil }
        algorithm = best
    }
}
