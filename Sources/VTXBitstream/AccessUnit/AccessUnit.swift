/// One coded picture with everything that belongs to it (H.264 7.4.1.2, H.265 7.4.2.4).
package struct AccessUnit: Sendable, Hashable {
    /// As they came, start codes included.
    package var bytes: [UInt8]
    /// Ranges in `bytes`.
    package var units: [NALUnit]
    package var summary: Summary

    /// What its slices say.
    package struct Summary: Sendable, Hashable {
        /// An IDR picture, or in HEVC any IRAP picture: decoding can begin here.
        package var isKeyFrame = false
        package var isIDR = false
        /// The most that any slice may refer to; nil where no slice header could be read.
        package var sliceType: SliceType?
        /// `frame_num` of H.264.
        package var frameNum: Int?
        /// Reference pictures before this one are missing in the stream (H.264 7.4.3).
        package var hasFrameNumGap = false
        /// Later pictures may refer to it; true where no slice header says.
        package var isReference = true
        /// `pic_order_cnt_lsb`
        package var pocLsb: Int?
        /// PicOrderCnt: where among its sequence's pictures this one is shown; nil where no slice header says.
        package var pictureOrderCount: Int?
        /// All pictures before it are shown before it, and the counts begin again.
        package var beginsSequence = false
        /// nil for frames; two fields of H.264 are two pictures, each with an access unit of its own.
        package var field: FieldParity?
        /// Any slice of a picture, readable or not.
        package var hasPicture = false
        /// Parameter sets that are new or have another content than before, as indices of `units`.
        package var changedParameterSets: [Int] = []
        /// `recovery_frame_cnt` or `recovery_poc_cnt` of a recovery point SEI message (D.1.8, H.265 D.2.8).
        package var recoveryPoint: Int?

        package init() {}
    }
}

/// Which lines of a frame a field has.
package enum FieldParity: Sendable, Hashable {
    case top
    case bottom
}

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
