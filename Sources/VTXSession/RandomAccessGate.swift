/// Decides which coded pictures reach a decoder: none before the first parameter sets and the first picture that
/// decoding can begin at, and none between a lost session and the next such picture. Pure.
package struct RandomAccessGate: Sendable, Hashable {
    /// What of an access unit decides.
    package struct AccessUnitInfo: Sendable, Hashable {
        /// Has slices.
        package var isPicture = false
        /// An IDR picture, in HEVC any IRAP picture, in H.264 also a recovery point.
        package var isRandomAccess = false
        /// A RASL picture of HEVC: refers to pictures before its CRA picture.
        package var isSkippedLeading = false
        /// Brings parameter sets that are new, or have another content than before.
        package var hasNewParameterSets = false

        package init() {}
    }

    package enum Decision: Sendable, Hashable {
        case decode
        /// Open a new decoder with the current parameter sets, then decode.
        case rebuildAndDecode
        /// A picture that cannot be decoded; counted.
        case drop
        /// No picture.
        case ignore
    }

    /// Pictures that were dropped.
    package private(set) var droppedCount = 0
    private var hasParameterSets = false
    private var needsDecoder = true
    private var isWaiting = true
    /// Leading pictures of the picture that decoding began at lack their references.
    private var skipsLeading = false

    package init() {}

    /// Forget the decoder; the next picture to decode is one that decoding can begin at.
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
