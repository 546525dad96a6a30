import VTXBitstream
import VTXMedia
import VTXSession

/// Assembles access units from input in chunks of any size, and tracks the parameter sets. Pure.
struct AccessUnitAssembler: Sendable {
    /// A unit or an error, with the frame's timestamp if known.
    enum Item: Sendable {
        case unit(IncomingUnit, FrameAnnotation?)
        case failure(SessionError, FrameAnnotation?)
    }

    let codec: VideoCodec
    private(set) var parameters: StreamParameters
    private var splitter: StreamSplitter
    /// Parameter sets that arrived without a picture, to be sent with the next one.
    private var waitingSets: [UInt8] = []
    private static let maxWaitingByteCount = 1 << 20

    init(codec: VideoCodec) {
        self.codec = codec
        parameters = StreamParameters(codec: codec)
        splitter = StreamSplitter(codec)
    }

    /// Takes the next bytes of a stream.
    mutating func append(_ chunk: some Collection<UInt8>) -> [Item] {
        let units = chunk.withContiguousStorageIfAvailable { splitter.append($0.span.bytes) }
        return items(units ?? splitter.append(Array(chunk).span.bytes), nil)
    }

    /// Takes bytes that end at the end of a frame.
    ///
    /// - Parameters:
    ///   - times: The timestamps of the first frame.
    ///   - setsFirst: Whether to move parameter sets before the pictures, because NAL units may come in any order.
    mutating func append(whole bytes: [UInt8], _ times: FrameAnnotation?, setsFirst: Bool) -> [Item] {
        let before = finish()
        let units = splitter.append(owning: setsFirst ? self.setsFirst(bytes) : bytes) + splitter.finish()
        let arrived = items(units, times)
        guard arrived.isEmpty, !bytes.isEmpty else { return before + arrived }
        let unit = codec.nal == nil ? "open bitstream unit" : "NAL unit"
        let error = SessionError(.badData, "there is no \(unit) in \(bytes.count) bytes")
        return before + [.failure(error, times)]
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

    private func setsFirst(_ bytes: [UInt8]) -> [UInt8] {
        guard let nal = codec.nal else { return bytes }
        let units = AnnexB.units(in: bytes.span.bytes, codec: nal)
        guard let slice = units.firstIndex(where: \.isVCL), units[slice...].contains(where: \.isParameterSet)
        else { return bytes }
        return AnnexB.write(
            units.filter(\.isParameterSet) + units.filter { !$0.isParameterSet }, of: bytes.span.bytes)
    }
}

// MARK: Parameter sets

extension AccessUnitAssembler {
    mutating func noteParameterSets(of unit: IncomingUnit) {
        for set in unit.newParameterSets { parameters.append(set) }
    }

    /// Keeps the parameter sets of a unit without a picture.
    mutating func hold(_ unit: IncomingUnit) {
        waitingSets = (waitingSets + unit.parameterSetBytes).suffix(Self.maxWaitingByteCount)
    }

    /// Returns a picture's bytes, preceded by the kept parameter sets.
    mutating func takeHeld(before unit: IncomingUnit) -> [UInt8] {
        defer { waitingSets = [] }
        return waitingSets.isEmpty ? unit.bytes : waitingSets + unit.bytes
    }

    /// Drops the kept parameter sets, because a new decoder gets all sets when it opens.
    mutating func dropHeld() { waitingSets = [] }
}
