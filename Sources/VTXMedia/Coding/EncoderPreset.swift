/// How much time an encoder may spend on a frame.
public enum EncoderPreset: String, Sendable, Hashable, CaseIterable, Codable {
    case fast
    case balanced
    case quality
}
