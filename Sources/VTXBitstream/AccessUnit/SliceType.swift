/// What a slice may refer to (H.264 Table 7-6, H.265 Table 7-7).
package enum SliceType: Int, Sendable, Hashable, Comparable {
    case i = 0
    case p = 1
    case b = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `slice_type` 0 to 9 of H.264; SP and SI count as P and I.
    init(h264 code: Int) { self = [.p, .b, .i, .p, .i][code % 5] }

    /// `slice_type` 0 to 2 of H.265.
    init(hevc code: Int) { self = [.b, .p, .i][code % 3] }
}
