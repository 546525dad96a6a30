/// Decides which coded pictures reach a decoder: none before the first parameter sets and the first random access
/// point, and none between the loss of a decoder and the next random access point. Pure.
package struct RandomAccessGate: Sendable, Hashable {
    /// The properties of an access unit that decide.
    package struct AccessUnitInfo: Sendable, Hashable {
        /// Whether it has slices.
        package var isPicture = false
        /// Whether it is an IDR picture, for HEVC any IRAP picture, for H.264 also a recovery point.
        package var isRandomAccess = false
        /// Whether it is a RASL picture of HEVC, which refers to pictures before its CRA picture.
        package var isSkippedLeading = false
        /// Whether it contains parameter sets that are new or changed.
        package var hasNewParameterSets = false

        package init() {}
    }

    package enum Decision: Sendable, Hashable {
        case decode
        /// Open a new decoder with the current parameter sets, then decode.
        case rebuildAndDecode
        /// The picture cannot be decoded; count it as dropped.
        case drop
        /// There is no picture.
        case ignore
    }

    /// The number of dropped pictures.
    package private(set) var droppedCount = 0
    private var hasParameterSets = false
    private var needsDecoder = true
    private var isWaiting = true
    /// Whether leading pictures lack their references because decoding began at the picture they follow.
    private var skipsLeading = false

    package init() {}

    /// Notes that the decoder is lost. Decoding continues at the next random access point.
    package mutating func sessionLost() { (needsDecoder, isWaiting) = (true, true) }

    package mutating func admit(_ info: AccessUnitInfo) -> Decision {
        if info.hasNewParameterSets { (hasParameterSets, needsDecoder) = (true, true) }
        guard info.isPicture else { return .ignore }
        guard hasParameterSets, !isWaiting || info.isRandomAccess, !(info.isSkippedLeading && skipsLeading) else {
            droppedCount += 1
            return .drop
        }
        guard info.isRandomAccess else { return .decode }
        skipsLeading = isWaiting
        isWaiting = false
        defer { needsDecoder = false }
        return needsDecoder ? .rebuildAndDecode : .decode
    }
}
