/// Computes picture order counts (H.264 8.2.1), picture by picture in decoding order.
struct H264PictureOrder: Sendable {
    /// Of the previous reference picture: prevPicOrderCntMsb and prevPicOrderCntLsb.
    private var (previousMsb, previousLsb) = (0, 0)
    /// Of the previous picture: prevFrameNum and prevFrameNumOffset.
    private var (previousFrameNum, previousFrameNumOffset) = (0, 0)

    init() {}

    /// TopFieldOrderCnt and BottomFieldOrderCnt; equal for a single field.
    private struct Counts {
        var top: Int
        var bottom: Int

        var least: Int { min(top, bottom) }
    }

    /// Returns the PicOrderCnt of a picture from its first slice: for a frame, the lower of its two.
    mutating func next(_ slice: H264SliceHeader, _ sps: H264SPS) -> Int {
        let order = sps.pictureOrderCount
        if slice.isIDR { self = H264PictureOrder() }
        let counts = order.type == 0 ? fromLsb(slice, order) : fromFrameNum(slice, sps)
        // 8.2.1: afterwards, such a picture counts as if it had been at zero.
        return slice.resetsOrder ? 0 : counts.least
    }

    /// 8.2.1.1
    private mutating func fromLsb(_ slice: H264SliceHeader, _ order: H264PictureOrderCount) -> Counts {
        let maxLsb = 1 << (order.log2MaxLsbMinus4 &+ 4)
        let msb = PictureOrderMsb.next(slice.pocLsb, after: previousLsb, previousMsb, maxLsb: maxLsb)
        let first = msb &+ slice.pocLsb
        let counts = Counts(top: first, bottom: slice.isField ? first : first &+ slice.deltaPOCBottom)
        if slice.resetsOrder {
            (previousMsb, previousLsb) = (0, slice.isBottomField ? 0 : counts.top &- counts.least)
        } else if slice.refIDC != 0 {
            (previousMsb, previousLsb) = (msb, slice.pocLsb)
        }
        return counts
    }

    /// 8.2.1.2 and 8.2.1.3
    private mutating func fromFrameNum(_ slice: H264SliceHeader, _ sps: H264SPS) -> Counts {
        let wraps = previousFrameNum > slice.frameNum
        let offset = previousFrameNumOffset &+ (wraps ? 1 << (sps.log2MaxFrameNumMinus4 &+ 4) : 0)
        (previousFrameNum, previousFrameNumOffset) = slice.resetsOrder ? (0, 0) : (slice.frameNum, offset)
        let order = sps.pictureOrderCount
        guard order.type == 1 else {
            let count = 2 &* (offset &+ slice.frameNum) &- (slice.refIDC == 0 ? 1 : 0)
            return Counts(top: count, bottom: count)
        }
        let expected = order.expectedCount(offset &+ slice.frameNum, isReference: slice.refIDC != 0)
        let first = expected &+ slice.deltaPOC[0]
        guard slice.isField else {
            return Counts(top: first, bottom: first &+ order.offsetForTopToBottomField &+ slice.deltaPOC[1])
        }
        let field = slice.isBottomField ? first &+ order.offsetForTopToBottomField : first
        return Counts(top: field, bottom: field)
    }
}

/// Detects gaps in `frame_num` (H.264 7.4.3), picture by picture in decoding order.
struct H264FrameNumGaps: Sendable {
    /// PrevRefFrameNum; nil before the first picture.
    private var previous: Int?

    init() {}

    /// - Returns: true if pictures are missing before this one. If the SPS allows gaps, an encoder or a server has
    ///   dropped pictures that are not referred to.
    mutating func next(_ slice: H264SliceHeader, _ sps: H264SPS) -> Bool {
        let count = 1 << (sps.log2MaxFrameNumMinus4 &+ 4)
        let last = slice.isIDR ? nil : previous
        let isGap = last.map { slice.frameNum != $0 && slice.frameNum != ($0 &+ 1) % count } ?? false
        if slice.resetsOrder {
            previous = 0
        } else if slice.refIDC != 0 {
            previous = slice.frameNum
        } else if isGap {
            previous = (slice.frameNum &+ count &- 1) % count
        }
        return isGap && !sps.allowsFrameNumGaps
    }
}

extension H264PictureOrderCount {
    /// expectedPicOrderCnt (8.2.1.2, equations 8-6 to 8-9).
    fileprivate func expectedCount(_ frameNum: Int, isReference: Bool) -> Int {
        var absolute = offsetsForRefFrame.isEmpty ? 0 : frameNum
        if !isReference, absolute > 0 { absolute &-= 1 }
        var expected = isReference ? 0 : offsetForNonRefPic
        guard absolute > 0 else { return expected }
        let (cycles, rest) = (absolute &- 1).quotientAndRemainder(dividingBy: offsetsForRefFrame.count)
        expected &+= cycles &* offsetsForRefFrame.reduce(0, &+)
        return offsetsForRefFrame[...rest].reduce(expected, &+)
    }
}

/// The most significant bits of a picture order count, which are not coded but follow from the previous picture.
enum PictureOrderMsb {
    /// H.264 equation 8-3, H.265 equation 8-1.
    static func next(_ lsb: Int, after previousLsb: Int, _ previousMsb: Int, maxLsb: Int) -> Int {
        if lsb < previousLsb && previousLsb &- lsb >= maxLsb / 2 { return previousMsb &+ maxLsb }
        if lsb > previousLsb && lsb &- previousLsb > maxLsb / 2 { return previousMsb &- maxLsb }
        return previousMsb
    }
}

/// Computes picture order counts (H.265 8.3.1), picture by picture in decoding order.
struct HEVCPictureOrder: Sendable {
    /// Of prevTid0Pic.
    private var (previousMsb, previousLsb) = (0, 0)
    /// True before the first picture and after an end of sequence.
    private var isAtBeginning = true

    init() {}

    /// Notes an end of sequence: later pictures refer to nothing before it.
    mutating func endSequence() { isAtBeginning = true }

    /// Returns the PicOrderCntVal of a picture from its first slice segment, and whether it begins a coded video
    /// sequence.
    mutating func next(
        _ type: HEVCNALUnitType, temporalID: UInt8, lsb: Int, _ sps: HEVCSPS
    ) -> (count: Int, beginsSequence: Bool) {
        // NoRaslOutputFlag of an IRAP picture (8.1.3); a stream that begins elsewhere begins all the same.
        let begins = type.isIDR || type.isBLA || isAtBeginning
        isAtBeginning = false
        if begins { (previousMsb, previousLsb) = (0, 0) }
        let maxLsb = 1 << (sps.log2MaxPOCLsbMinus4 &+ 4)
        let msb = begins ? 0 : PictureOrderMsb.next(lsb, after: previousLsb, previousMsb, maxLsb: maxLsb)
        if temporalID == 0, !type.isLeading, !type.isSubLayerNonReference { (previousMsb, previousLsb) = (msb, lsb) }
        return (msb &+ lsb, begins)
    }
}

extension HEVCNALUnitType {
    /// RADL and RASL pictures.
    fileprivate var isLeading: Bool { (6...9).contains(rawValue) }
    /// `..._N`, including the reserved types (Table 7-1).
    var isSubLayerNonReference: Bool { rawValue <= 14 && rawValue % 2 == 0 }
}
