/// Picture order counts (H.265 8.3.1), picture by picture in decoding order.
struct HEVCPictureOrder: Sendable {
    /// Of prevTid0Pic.
    private var (previousMsb, previousLsb) = (0, 0)
    /// True before the first picture, and after an end of sequence.
    private var isAtBeginning = true

    init() {}

    /// An end of sequence: what follows refers to nothing before it.
    mutating func endSequence() { isAtBeginning = true }

    /// PicOrderCntVal of a picture, by its first slice segment, and whether it begins a coded video sequence.
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
    /// `..._N`, and what is reserved for such (Table 7-1).
    var isSubLayerNonReference: Bool { rawValue <= 14 && rawValue % 2 == 0 }
}
