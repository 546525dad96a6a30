import VTXSystem

/// Parameter sets that arrived without a picture, to be sent with the next one. Pure.
struct HeldParameterSets: Sendable {
    private var bytes: [UInt8] = []
    private static let maxByteCount = 1 << 20

    /// Keeps the parameter sets of a unit without a picture.
    mutating func hold(_ unit: IncomingUnit) { bytes = (bytes + unit.parameterSetBytes).suffix(Self.maxByteCount) }

    /// Returns a picture's bytes, preceded by the kept parameter sets.
    mutating func take(before unit: IncomingUnit) -> PaddedBuffer {
        guard !bytes.isEmpty else { return unit.bytes }
        let whole = PaddedBuffer(bytes)
        whole.append(unit.bytes.bytes.bytes)
        bytes = []
        return whole
    }

    /// Drops the kept parameter sets, because a new decoder gets all sets when it opens.
    mutating func drop() { bytes = [] }
}
