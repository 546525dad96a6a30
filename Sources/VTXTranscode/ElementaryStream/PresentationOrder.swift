/// When each sample is shown: pictures follow one another evenly, in the order of their counts; sequence by sequence.
struct PresentationOrder {
    /// Places in the order of presentation, in decoding order.
    private(set) var ranks: [Int] = []
    /// How far decoding has to be ahead, in frames, for no picture to be shown before it is decoded.
    private(set) var delay = 0
    /// Samples of the sequence that has not ended: their counts.
    private var sequence: [(order: Int, index: Int)] = []
    /// Samples without a count; they are shown where they are decoded.
    private(set) var unorderedCount = 0

    /// The next sample in decoding order.
    mutating func append(order: Int?, beginsSequence: Bool) {
        if beginsSequence || order == nil { endSequence() }
        sequence.append((order ?? 0, ranks.count + sequence.count))
        guard order == nil else { return }
        unorderedCount += 1
        endSequence()
    }

    mutating func finish() { endSequence() }

    private mutating func endSequence() {
        let begin = ranks.count
        ranks.append(contentsOf: repeatElement(0, count: sequence.count))
        // Stable: the index decides where a damaged stream has a count twice.
        let sorted = sequence.sorted { ($0.order, $0.index) < ($1.order, $1.index) }
        for (rank, entry) in sorted.enumerated() {
            ranks[entry.index] = begin + rank
            delay = max(delay, entry.index - begin - rank)
        }
        sequence = []
    }
}
