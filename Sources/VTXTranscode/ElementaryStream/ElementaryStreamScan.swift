import VTXBitstream
import VTXMedia
import VTXTask

/// Scans a byte stream for what has to be known before its first sample is written.
struct ElementaryStreamScan {
    let codec: NALCodec
    private(set) var order = PresentationOrder()
    private(set) var placement: ParameterSetPlacement
    /// The number of samples at which decoding can begin, and of those that are pairs of fields.
    private(set) var keyFrameCount = 0
    private(set) var fieldPairCount = 0
    /// The number of pictures without an access unit delimiter.
    private(set) var undelimitedCount = 0
    private(set) var strayByteCount: Int64 = 0

    var sampleCount: Int { order.ranks.count }

    /// Reads the whole stream.
    init(path: String, codec: NALCodec, _ output: ElementaryStreamOutput) throws(TranscodeError) {
        self.codec = codec
        placement = ParameterSetPlacement(codec)
        var reader = try AccessUnitSampleReader(path: path, codec: codec)
        while let sample = try reader.next() {
            try output.stopIfCancelled()
            order.append(order: sample.order, beginsSequence: sample.first.beginsSequence)
            try placement.add(sample)
            if sample.isKeyFrame { keyFrameCount += 1 }
            undelimitedCount += sample.undelimitedCount
            if sample.isFieldPair { fieldPairCount += 1 }
        }
        order.finish()
        strayByteCount = reader.strayByteCount
        guard sampleCount > order.unorderedCount else {
            throw TranscodeError(.inputNoFrames, "'\(path)' has no readable picture")
        }
    }
}

/// Computes when each sample is shown: at a constant rate, in the order of the picture order counts, sequence by
/// sequence.
struct PresentationOrder {
    /// The display position of each sample, in decoding order.
    private(set) var ranks: [Int] = []
    /// The number of frames by which decoding must precede display.
    private(set) var delay = 0
    /// The counts of the samples in the current sequence.
    private var sequence: [(order: Int, index: Int)] = []
    /// The number of samples without a count, which are shown in decoding order.
    private(set) var unorderedCount = 0

    /// Appends the next sample in decoding order.
    mutating func append(order: Int?, beginsSequence: Bool) {
        if beginsSequence || order == nil { endSequence() }
        sequence.append((order ?? 0, ranks.count + sequence.count))
        guard order == nil else { return }
        unorderedCount += 1
        endSequence()
    }

    mutating func finish() { endSequence() }

    private mutating func endSequence() {
        let begin = ranks.count
        ranks.append(contentsOf: repeatElement(0, count: sequence.count))
        // Stable: the index decides where a damaged stream has a count twice.
        let sorted = sequence.sorted { ($0.order, $0.index) < ($1.order, $1.index) }
        for (rank, entry) in sorted.enumerated() {
            ranks[entry.index] = begin + rank
            delay = max(delay, entry.index - begin - rank)
        }
        sequence = []
    }
}

/// Decides where a container stores a stream's parameter sets, so that none is lost and each is restored in place.
///
/// Sets that occur once, before the first picture, are stored in the record, with the sample entry `avc1` or `hvc1`,
/// which every player supports. Sets that are repeated or change stay in the samples: `avc3`, `hev1`. The record
/// contains the first ones in either case.
struct ParameterSetPlacement {
    private let codec: NALCodec
    /// The sets of the first sample, without duplicates, in the order VPS, SPS, PPS.
    private(set) var first: [[UInt8]] = []
    private var types: [UInt8] = []
    /// Whether the first sample has them in one run, in the order in which a reader of the record inserts them.
    private var isCanonical = true
    private var hasOthers = false
    private var changes = false
    private var sampleCount = 0

    init(_ codec: NALCodec) { self.codec = codec }

    /// Whether sets occur only where a reader of the record inserts them.
    var canMove: Bool { isCanonical && !hasOthers }
    /// Whether all sets are those of the first sample.
    var isConstant: Bool { !changes }

    mutating func add(_ sample: AccessUnitSample) throws(TranscodeError) {
        var isInRun = true
        try sample.forEachUnit { unit, bytes throws(TranscodeError) in
            if unit.isParameterSet, unit.layerID == 0 {
                note(unit, bytes, isInRun: isInRun)
            } else if !unit.isDelimiter || !types.isEmpty {
                isInRun = false
            }
            if unit.isBeyondBaseRecord { hasOthers = true }
        }
        sampleCount += 1
    }

    private mutating func note(_ unit: NALUnit, _ bytes: RawSpan, isInRun: Bool) {
        let set = bytes.copy(0..<bytes.byteCount)
        guard sampleCount == 0 else {
            hasOthers = true
            changes = changes || !first.contains(set)
            return
        }
        let isSorted = types.last.map { $0 <= unit.rawType } ?? true
        guard !first.contains(set) else { return isCanonical = false }
        isCanonical = isCanonical && isInRun && isSorted
        first.append(set)
        types.append(unit.rawType)
    }

    /// Returns the first SPS; nil if there is none.
    func sequence() throws(BitstreamError) -> (any SequenceParameterSet)? {
        guard let set = units(codec == .h264 ? 7 : 33).first else { return nil }
        return codec == .h264 ? try H264SPS(nalUnit: set) : try HEVCSPS(nalUnit: set)
    }

    /// Returns the frame rate that the sets declare; nil if they do not.
    func frameRate() throws(BitstreamError) -> Rational? {
        if let rate = try sequence()?.frameRate { return rate }
        guard codec == .hevc, let set = units(32).first else { return nil }
        return try HEVCVPS(nalUnit: set).frameRate
    }

    /// Returns the contents of an `avcC` or `hvcC` box.
    ///
    /// - Parameter isComplete: Whether the samples contain no other sets.
    func record(isComplete: Bool) throws(BitstreamError) -> [UInt8] {
        guard codec == .hevc else {
            return try AVCDecoderConfigurationRecord(spss: units(7), ppss: units(8)).bytes()
        }
        return try HEVCDecoderConfigurationRecord(
            vpss: units(32), spss: units(33), ppss: units(34), isComplete: isComplete
        ).bytes()
    }

    private func units(_ type: UInt8) -> [[UInt8]] { zip(first, types).filter { $0.1 == type }.map(\.0) }
}

extension NALUnit {
    /// Whether it is an SPS extension or a set of a higher layer, which cannot be moved to the record.
    fileprivate var isBeyondBaseRecord: Bool {
        h264Type == .spsExtension || h264Type == .subsetSPS || isParameterSet && layerID > 0
    }
}
