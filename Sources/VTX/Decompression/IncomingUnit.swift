import VTXBitstream
import VTXMedia
import VTXSession
import VTXSystem

/// A unit of input for a decoder: an access unit, or a temporal unit of AV1.
struct IncomingUnit: Sendable {
    var bytes: PaddedBuffer
    var summary: AccessUnit.Summary
    var gateInfo = RandomAccessGate.AccessUnitInfo()
    /// The new parameter sets.
    var newParameterSets: [[UInt8]]
    /// All parameter sets, as in a byte stream.
    var parameterSetBytes: [UInt8]
}

extension IncomingUnit {
    init(_ unit: AccessUnit) {
        (bytes, summary) = (unit.bytes, unit.summary)
        let span = unit.bytes.bytes.bytes
        newParameterSets = unit.summary.changedParameterSets.filter(unit.units.indices.contains)
            .map { span.copy(unit.units[$0].range) }
        parameterSetBytes = AnnexB.write(unit.units.filter(\.isParameterSet), of: span)
        let slice = unit.units.first(where: \.isVCL)
        gateInfo.isPicture = slice != nil
        gateInfo.isRandomAccess = summary.isKeyFrame || slice?.codec == .h264 && summary.recoveryPoint != nil
        gateInfo.isSkippedLeading = slice?.hevcType == .raslN || slice?.hevcType == .raslR
        gateInfo.hasNewParameterSets = !summary.changedParameterSets.isEmpty
    }

    /// - Parameter known: The previous sequence header.
    init(_ unit: TemporalUnit, known: [UInt8]?) {
        (bytes, summary) = (unit.bytes, AccessUnit.Summary())
        parameterSetBytes = unit.sequenceHeader ?? []
        newParameterSets = unit.sequenceHeader.map { $0 == known ? [] : [$0] } ?? []
        summary.hasPicture = unit.hasPicture
        (summary.isKeyFrame, summary.isIDR, summary.beginsSequence) = (
            unit.isKeyFrame, unit.isKeyFrame, unit.isKeyFrame
        )
        if unit.isKeyFrame { summary.sliceType = .i }
        gateInfo.isPicture = unit.hasPicture
        gateInfo.isRandomAccess = unit.isKeyFrame
        gateInfo.hasNewParameterSets = !newParameterSets.isEmpty
    }
}

/// Parameter sets that arrived without a picture, to be sent with the next one. Pure.
struct HeldParameterSets: Sendable {
    private var bytes: [UInt8] = []
    private static let maxByteCount = 1 << 20

    /// Keeps the parameter sets of a unit without a picture.
    mutating func hold(_ unit: IncomingUnit) { bytes = (bytes + unit.parameterSetBytes).suffix(Self.maxByteCount) }

    /// Returns a picture's bytes, preceded by the kept parameter sets.
    mutating func take(before unit: IncomingUnit) -> PaddedBuffer {
        guard !bytes.isEmpty else { return unit.bytes }
        let whole = PaddedBuffer(bytes)
        whole.append(unit.bytes.bytes.bytes)
        bytes = []
        return whole
    }

    /// Drops the kept parameter sets, because a new decoder gets all sets when it opens.
    mutating func drop() { bytes = [] }
}
