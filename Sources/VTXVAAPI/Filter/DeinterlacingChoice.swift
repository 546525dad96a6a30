import VTXLibVA

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
