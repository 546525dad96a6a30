/// How much of the finished output is decoded again and compared with what was encoded.
package enum VerificationLevel: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every frame.
    case full
    /// Some groups of pictures, and key frames between them.
    case sample
    /// Nothing beyond the first frame.
    case off
}
