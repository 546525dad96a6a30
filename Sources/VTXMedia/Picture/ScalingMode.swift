/// What happens when the picture's shape is not the output's (VideoToolbox: `kVTScalingMode_*`).
public enum ScalingMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Keep the shape, fill the rest with black.
    case letterbox
    /// Keep the shape, cut off what sticks out.
    case trim
    /// Stretch to the output's shape.
    case fill
}
