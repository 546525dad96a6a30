import VTXBitstream
import VTXMedia
import VTXSession

/// Assembles access units from input in chunks of any size. Pure. The bytes are copied once, into the access unit.
struct AccessUnitAssembler: Sendable {
    /// A unit or an error, with the frame's timestamp if known.
    enum Item: Sendable {
        case unit(IncomingUnit, FrameAnnotation?)
        case failure(SessionError, FrameAnnotation?)
    }

    let codec: VideoCodec
    private var splitter: StreamSplitter

    init(codec: VideoCodec) {
        self.codec = codec
        splitter = StreamSplitter(codec)
    }

    /// Takes the next bytes of a stream.
    mutating func append(_ chunk: RawSpan) -> [Item] { items(splitter.append(chunk), nil) }

    /// Takes bytes that end at the end of a frame.
    ///
    /// - Parameters:
    ///   - times: The timestamps of the first frame.
    ///   - setsFirst: Whether to move parameter sets before the pictures, because NAL units may come in any order.
    mutating func append(whole bytes: RawSpan, _ times: FrameAnnotation?, setsFirst: Bool) -> [Item] {
        if let failure = tooLarge(bytes, times) { return [failure] }
        let before = finish()
        splitter.expect(byteCount: bytes.byteCount)
        let units =
            (setsFirst ? unitsInDisorder(bytes) : nil).map { splitter.append($0, of: bytes) } ?? splitter.append(bytes)
        return before + whole(units + splitter.finish(), times, bytes.byteCount)
    }

    /// Takes a sample.
    ///
    /// - Parameter withParameterSets: Whether to insert its parameter sets.
    mutating func append(
        _ sample: Sample, _ times: FrameAnnotation?, withParameterSets: Bool
    ) throws(SessionError) -> [Item] {
        let sets = withParameterSets ? sample.formatDescription.byteStream : []
        let units = codec == .av1 ? [] : try sample.content.nalUnits(sample.formatDescription)
        let before = finish()
        return sample.content.withBytes { bytes in
            if let failure = tooLarge(bytes, times) { return before + [failure] }
            guard codec != .av1 else {
                return before
                    + whole(splitter.append(temporalUnit: bytes, inserting: sets.span.bytes), times, bytes.byteCount)
            }
            splitter.expect(byteCount: sets.count + bytes.byteCount + AnnexB.startCode.count * units.count)
            let outputs =
                splitter.append(sets.span.bytes) + splitter.append(units, of: bytes) + splitter.finish()
            return before + whole(outputs, times, bytes.byteCount)
        }
    }

    private func tooLarge(_ bytes: RawSpan, _ times: FrameAnnotation?) -> Item? {
        guard bytes.byteCount > AccessUnitSplitter.maxByteCount else { return nil }
        let limit = AccessUnitSplitter.maxByteCount
        return .failure(SessionError(.badData, "a frame has \(bytes.byteCount) bytes; allowed: \(limit)"), times)
    }

    private func whole(
        _ units: [StreamSplitter.Output], _ times: FrameAnnotation?, _ byteCount: Int
    ) -> [Item] {
        let items = items(units, times)
        guard items.isEmpty, byteCount > 0 else { return items }
        let unit = codec.nal == nil ? "open bitstream unit" : "NAL unit"
        return [.failure(SessionError(.badData, "there is no \(unit) in \(byteCount) bytes"), times)]
    }

    /// Takes the end of the stream.
    mutating func finish() -> [Item] { items(splitter.finish(), nil) }

    /// Only the timestamp of the first picture is known.
    private func items(_ units: [StreamSplitter.Output], _ times: FrameAnnotation?) -> [Item] {
        let name = codec.nal == nil ? "a temporal unit" : "an access unit"
        var times = times
        return units.map { unit in
            switch unit {
            case .success(let unit):
                defer { if unit.gateInfo.isPicture { times = nil } }
                return .unit(unit, times)
            case .failure(let error):
                defer { times = nil }
                return .failure(SessionError(.badData, "\(name): \(error)"), times)
            }
        }
    }

    /// Returns the NAL units with parameter sets before the pictures; nil if they are in order.
    private func unitsInDisorder(_ bytes: RawSpan) -> [NALUnit]? {
        guard let nal = codec.nal else { return nil }
        let units = AnnexB.units(in: bytes, codec: nal)
        guard let slice = units.firstIndex(where: \.isVCL), units[slice...].contains(where: \.isParameterSet)
        else { return nil }
        return units.filter(\.isParameterSet) + units.filter { !$0.isParameterSet }
    }
}
