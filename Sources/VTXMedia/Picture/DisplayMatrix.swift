/// How a player turns and mirrors the decoded picture: the 3x3 matrix of ISO/IEC 14496-12 (`tkhd`), in 16.16
/// and 2.30 fixed point, row by row.
public struct DisplayMatrix: Sendable, Hashable {
    public var elements: [Int32]

    public static let identity = DisplayMatrix([65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30])

    public init(_ elements: [Int32]) {
        precondition(elements.count == 9, "a display matrix has nine elements")
        self.elements = elements
    }

    /// What the matrix does, when it is one of the eight turns and mirrors by quarters.
    public enum Orientation: String, Sendable, Hashable, CaseIterable, Codable {
        case upright
        case rotated90 = "rotated 90"
        case rotated180 = "rotated 180"
        case rotated270 = "rotated 270"
        case mirrored
        case mirroredRotated90 = "mirrored, rotated 90"
        case mirroredRotated180 = "mirrored, rotated 180"
        case mirroredRotated270 = "mirrored, rotated 270"

        /// `mirrored, rotated 90 degrees`.
        package var inDegrees: String { rawValue.contains("rotated") ? "\(rawValue) degrees" : rawValue }

        /// True when width and height change places.
        public var isTransposed: Bool {
            switch self {
            case .rotated90, .rotated270, .mirroredRotated90, .mirroredRotated270: true
            default: false
            }
        }
    }

    /// Clockwise, as a viewer sees it; nil for a matrix that also scales, shears or turns by odd angles.
    public var orientation: Orientation? {
        let signs = [elements[0], elements[1], elements[3], elements[4]].map { $0.signum() }
        let magnitudes = Set([elements[0], elements[1], elements[3], elements[4]].map(\.magnitude))
        guard magnitudes.subtracting([0]).count == 1 else { return nil }
        switch signs {
        case [1, 0, 0, 1]: return .upright
        case [0, 1, -1, 0]: return .rotated90
        case [-1, 0, 0, -1]: return .rotated180
        case [0, -1, 1, 0]: return .rotated270
        case [-1, 0, 0, 1]: return .mirrored
        case [0, 1, 1, 0]: return .mirroredRotated270
        case [1, 0, 0, -1]: return .mirroredRotated180
        case [0, -1, -1, 0]: return .mirroredRotated90
        default: return nil
        }
    }
}
