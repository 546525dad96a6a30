import VTXBitstream
import VTXMedia

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

    /// Takes NAL units of a frame, given by their ranges.
    mutating func append(_ units: [NALUnit], of bytes: RawSpan) -> [Output] {
        var outputs: [Output] = []
        for unit in units {
            let finished = accessUnits?.append(unit: bytes.extracting(unit.range)) ?? []
            outputs += finished.map { .success(IncomingUnit($0)) }
        }
        return outputs
    }

    /// Takes one temporal unit of AV1 as in a container.
    ///
    /// - Parameter headers: The sequence header, inserted if the unit has none.
    mutating func append(temporalUnit bytes: RawSpan, inserting headers: RawSpan) -> [Output] {
        incoming([
            Result { () throws(BitstreamError) in
                try TemporalUnit(bytes, inserting: headers, after: sequenceHeader)
            }
        ])
    }

    /// Prepares for a frame of a known size, so that its buffer need not grow.
    mutating func expect(byteCount: Int) { accessUnits?.expect(byteCount: byteCount) }

    /// Starts again after data that exceeds the size of any access unit.
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
