import VTXBitstream
import VTXMedia
import VTXTask

/// What a container holds as one sample: an access unit; two, where the fields of a frame have one each; with it what
/// follows at a stream's end and belongs to no picture.
struct AccessUnitSample {
    private(set) var accessUnits: [AccessUnit]

    var first: AccessUnit.Summary { accessUnits[0].summary }

    /// Where it is shown among its sequence; nil where its headers cannot be read.
    var order: Int? { accessUnits.compactMap(\.summary.pictureOrderCount).min() }

    /// A recovery point from which all is right at once is as good as an IDR picture to start at.
    var isKeyFrame: Bool { first.isKeyFrame || first.recoveryPoint == 0 && first.sliceType == .i }

    var isFieldPair: Bool { accessUnits.count { $0.summary.field != nil } == 2 }

    /// Pictures that do not begin with an access unit delimiter.
    var undelimitedCount: Int {
        accessUnits.count { $0.summary.hasPicture && $0.units.first?.isDelimiter == false }
    }

    func forEachUnit(_ body: (NALUnit, RawSpan) throws(TranscodeError) -> Void) throws(TranscodeError) {
        for accessUnit in accessUnits {
            let bytes = accessUnit.bytes.span.bytes
            for unit in accessUnit.units { try body(unit, bytes.extracting(unit.range)) }
        }
    }
}

/// Reads a byte stream as samples, always the same ones.
struct AccessUnitSampleReader {
    private let bytes: InputBytes
    private var splitter: AccessUnitSplitter
    private var pending: [AccessUnit] = []
    private var ready: ArraySlice<AccessUnitSample> = []
    private var isAtEnd = false
    private var (readByteCount, usedByteCount) = (Int64(0), Int64(0))

    init(path: String, codec: VideoCodec) throws(TranscodeError) {
        bytes = try InputBytes.open(path)
        splitter = AccessUnitSplitter(codec: codec)
    }

    /// Bytes before the first start code; known at the end.
    var strayByteCount: Int64 { readByteCount - usedByteCount }

    mutating func next() throws(TranscodeError) -> AccessUnitSample? {
        while ready.isEmpty, !isAtEnd { try readMore() }
        return ready.popFirst()
    }

    private mutating func readMore() throws(TranscodeError) {
        let chunk = try bytes.next()
        readByteCount += Int64(chunk.count)
        isAtEnd = chunk.isEmpty
        do {
            let units = isAtEnd ? splitter.finish() : try splitter.append(chunk.span.bytes)
            units.forEach { add($0) }
        } catch {
            throw TranscodeError(.inputAccessUnit, "\(bytes.name) cannot be cut into access units: \(error)")
        }
        if isAtEnd, !pending.isEmpty { ready.append(AccessUnitSample(accessUnits: pending)) }
    }

    private mutating func add(_ unit: AccessUnit) {
        usedByteCount += Int64(unit.bytes.count)
        if !pending.isEmpty, unit.summary.hasPicture, !unit.summary.completes(pending) {
            ready.append(AccessUnitSample(accessUnits: pending))
            pending = []
        }
        pending.append(unit)
    }
}

extension AccessUnit.Summary {
    /// A second field: of the other parity, with the same `frame_num`, after one field alone (H.264 3.30).
    fileprivate func completes(_ units: [AccessUnit]) -> Bool {
        guard let field, !isIDR, units.count == 1, let first = units[0].summary.field else { return false }
        return field != first && frameNum == units[0].summary.frameNum
    }
}
