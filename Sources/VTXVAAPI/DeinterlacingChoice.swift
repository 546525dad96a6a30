import VTXLibVA

/// Which of a driver's deinterlacers to use.
enum DeinterlacingChoice {
    /// The best one that makes a whole picture of two fields; weaving them together is none.
    static func best(of algorithms: [DeinterlacingAlgorithm]) -> DeinterlacingAlgorithm? {
        algorithms.filter { $0 != .weave }.max()
    }
}
