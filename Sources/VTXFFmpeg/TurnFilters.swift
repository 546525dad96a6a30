package import VTXMedia

extension DisplayMatrix.Orientation {
    /// libavfilter's filters that turn the pixels as it says.
    package var filters: [String] {
        switch self {
        case .upright: []
        case .rotated90: ["transpose=clock"]
        case .rotated180: ["hflip", "vflip"]
        case .rotated270: ["transpose=cclock"]
        case .mirrored: ["hflip"]
        case .mirroredRotated90: ["transpose=clock_flip"]
        case .mirroredRotated180: ["vflip"]
        case .mirroredRotated270: ["transpose=cclock_flip"]
        }
    }
}
