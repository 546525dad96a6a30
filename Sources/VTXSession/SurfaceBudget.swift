/// How many surfaces a stream needs at one time beyond those that decoders keep as references.
///
/// Pools of surfaces do not grow on every driver, and a pipeline that waits for a surface which waits in its own queue
/// stands still. So whoever sizes the queues makes the budget, and the pools are made for it.
package struct SurfaceBudget: Sendable, Hashable {
    /// Frames that wait in one queue between two stages.
    package var queueDepth: Int
    /// Frames that an encoder holds back: reordering, and pictures under way.
    package var encoderDepth: Int
    /// Frames that a filter keeps as references: deinterlacing looks to both sides.
    package var filterReferences: Int

    package init(queueDepth: Int, encoderDepth: Int = 8, filterReferences: Int = 4) {
        self.queueDepth = queueDepth
        self.encoderDepth = encoderDepth
        self.filterReferences = filterReferences
    }

    /// A queue has one frame in the hand that fills it and one in the hand that empties it.
    private var betweenStages: Int { queueDepth + 2 }

    /// What a decoder must have to spare. Its surfaces wait in one queue: a GPU filters them as they come, and software
    /// copies them. One that needs no filter passes all the way to the encoder.
    package var behindDecoder: Int { betweenStages + filterReferences + encoderDepth }
}
