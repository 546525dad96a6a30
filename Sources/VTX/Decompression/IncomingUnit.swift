import VTXBitstream
import VTXMedia
import VTXSession

/// A unit of input for a decoder: an access unit, or a temporal unit of AV1.
struct IncomingUnit: Sendable {
    var bytes: [UInt8]
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
        newParameterSets = unit.summary.changedParameterSets.filter(unit.units.indices.contains)
            .map { unit.bytes.span.bytes.copy(unit.units[$0].range) }
        parameterSetBytes = AnnexB.write(unit.units.filter(\.isParameterSet), of: unit.bytes.span.bytes)
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

/// Splits a byte stream of any codec into units for a decoder. Pure.
struct StreamSplitter: Sendable {
    typealias Output = Result<IncomingUnit, BitstreamError>

    private let codec: VideoCodec
    /// nil for AV1.
    private var accessUnits: AccessUnitSplitter?
    private var temporalUnits = TemporalUnitSplitter()
    private var sequenceHeader: [UInt8]?

    init(_ codec: VideoCodec) {
        self.codec = codec
        accessUnits = codec.nal.map { AccessUnitSplitter(codec: $0) }
    }

    mutating func append(_ chunk: RawSpan) -> [Output] {
        do throws(BitstreamError) {
            guard let units = try accessUnits?.append(chunk) else { return incoming(temporalUnits.append(chunk)) }
            return units.map { .success(IncomingUnit($0)) }
        } catch { return restart(error) }
    }

    /// Takes bytes that begin an access unit, which then keeps the array instead of a copy.
    mutating func append(owning bytes: [UInt8]) -> [Output] {
        do throws(BitstreamError) {
            guard let units = try accessUnits?.append(owning: bytes) else { return append(bytes.span.bytes) }
            return units.map { .success(IncomingUnit($0)) }
        } catch { return restart(error) }
    }

    /// What never ends is no access unit: begin again after it.
    private mutating func restart(_ error: BitstreamError) -> [Output] {
        self = StreamSplitter(codec)
        return [.failure(error)]
    }

    /// Takes the end of the stream or of a frame.
    mutating func finish() -> [Output] {
        guard let units = accessUnits?.finish() else { return incoming(temporalUnits.finish()) }
        return units.map { .success(IncomingUnit($0)) }
    }

    private mutating func incoming(_ units: [TemporalUnitSplitter.Output]) -> [Output] {
        var incoming: [Output] = []
        for unit in units {
            let known = sequenceHeader
            incoming.append(unit.map { IncomingUnit($0, known: known) })
            if case .success(let unit) = unit { sequenceHeader = unit.sequenceHeader ?? known }
        }
        return incoming
    }
}
