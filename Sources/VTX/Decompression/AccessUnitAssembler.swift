import VTXBitstream
import VTXMedia
import VTXSession

/// Makes access units of what comes in, in pieces of any kind, and knows the parameter sets so far. Pure.
struct AccessUnitAssembler: Sendable {
    /// What has arrived, with the time of its frame where that is known.
    enum Item: Sendable {
        case unit(AccessUnit, FrameAnnotation?)
        case failure(SessionError, FrameAnnotation?)
    }

    let codec: NALCodec
    private(set) var parameters: StreamParameters
    private var splitter: AccessUnitSplitter
    /// Parameter sets that came without a picture, for the next one.
    private var waitingSets: [UInt8] = []
    private static let maxWaitingByteCount = 1 << 20

    init(codec: NALCodec) {
        self.codec = codec
        parameters = StreamParameters(codec: codec)
        splitter = AccessUnitSplitter(codec: codec)
    }

    /// The next bytes of a stream.
    mutating func append(_ chunk: [UInt8]) -> [Item] { split(chunk, nil, isWhole: false) }

    /// Bytes whose end is a frame's end.
    ///
    /// - Parameters:
    ///   - times: of the first frame in them.
    ///   - setsFirst: NAL units may come in any order: parameter sets go before the pictures.
    mutating func append(whole bytes: [UInt8], _ times: FrameAnnotation?, setsFirst: Bool) -> [Item] {
        let before = finish()
        let arrived = split(setsFirst ? self.setsFirst(bytes) : bytes, times, isWhole: true)
        guard arrived.isEmpty, !bytes.isEmpty else { return before + arrived }
        let error = SessionError(.badData, "there is no NAL unit in \(bytes.count) bytes")
        return before + [.failure(error, times)]
    }

    /// The end of the stream.
    mutating func finish() -> [Item] { splitter.finish().map { .unit($0, nil) } }

    private mutating func split(_ bytes: [UInt8], _ times: FrameAnnotation?, isWhole: Bool) -> [Item] {
        do throws(BitstreamError) {
            var units = try splitter.append(bytes.span.bytes)
            if isWhole { units += splitter.finish() }
            return Self.items(units, times)
        } catch {
            // What never ends is no access unit: begin again after it.
            splitter = AccessUnitSplitter(codec: codec)
            return [.failure(SessionError(.badData, "an access unit: \(error)"), times)]
        }
    }

    /// Only the first picture's time is known.
    private static func items(_ units: [AccessUnit], _ times: FrameAnnotation?) -> [Item] {
        let first = units.firstIndex { $0.gateInfo.isPicture } ?? units.endIndex
        return units.enumerated().map { .unit($1, $0 <= first ? times : nil) }
    }

    private func setsFirst(_ bytes: [UInt8]) -> [UInt8] {
        let units = AnnexB.units(in: bytes.span.bytes, codec: codec)
        guard let slice = units.firstIndex(where: \.isVCL), units[slice...].contains(where: \.isParameterSet)
        else { return bytes }
        return AnnexB.write(
            units.filter(\.isParameterSet) + units.filter { !$0.isParameterSet }, of: bytes.span.bytes)
    }
}

// MARK: Parameter sets

extension AccessUnitAssembler {
    mutating func noteParameterSets(of unit: AccessUnit) {
        for set in unit.newParameterSets { parameters.append(set) }
    }

    /// Keeps the parameter sets of a unit that has no picture.
    mutating func hold(_ unit: AccessUnit) {
        let sets = AnnexB.write(unit.units.filter(\.isParameterSet), of: unit.bytes.span.bytes)
        waitingSets = (waitingSets + sets).suffix(Self.maxWaitingByteCount)
    }

    /// A picture's bytes, after the parameter sets that came without one.
    mutating func takeHeld(before unit: AccessUnit) -> [UInt8] {
        defer { waitingSets = [] }
        return waitingSets + unit.bytes
    }

    /// A decoder that is opened now knows all sets.
    mutating func dropHeld() { waitingSets = [] }
}
