/// How H.264 codes its syntax elements (clause 9; VideoToolbox: `kVTH264EntropyMode_*`).
public enum EntropyMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Variable lengths: the only one that Baseline has.
    case cavlc
    /// Arithmetic coding, about a tenth smaller.
    case cabac
}
