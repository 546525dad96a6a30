import VTXBitstream
import VTXMedia
import VTXTask

/// What has to be known of a byte stream before its first sample can be written.
struct ElementaryStreamScan {
    let codec: NALCodec
    private(set) var order = PresentationOrder()
    private(set) var placement: ParameterSetPlacement
    /// Samples from which decoding can begin, and those that are shown as pairs of fields.
    private(set) var keyFrameCount = 0
    private(set) var fieldPairCount = 0
    /// Pictures without an access unit delimiter in front.
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
            throw TranscodeError(.inputNoFrames, "'\(path)' holds no picture that can be read")
        }
    }
}

/// When each sample is shown: pictures follow one another evenly, in the order of their counts; sequence by sequence.
struct PresentationOrder {
    /// Places in the order of presentation, in decoding order.
    private(set) var ranks: [Int] = []
    /// How far decoding has to be ahead, in frames, for no picture to be shown before it is decoded.
    private(set) var delay = 0
    /// Samples of the sequence that has not ended: their counts.
    private var sequence: [(order: Int, index: Int)] = []
    /// Samples without a count; they are shown where they are decoded.
    private(set) var unorderedCount = 0

    /// The next sample in decoding order.
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

/// Where a container keeps a stream's parameter sets, so that none is lost and each comes back in its place.
///
/// Sets that stand once, before the first picture, go to the record, and the sample entry is `avc1` or `hvc1`,
/// which every player knows. Where they come again, or change, they stay where they are, in the samples: `avc3`,
/// `hev1`. The record holds the first ones in either case.
struct ParameterSetPlacement {
    private let codec: NALCodec
    /// Those of the first sample, each once, in the order VPS, SPS, PPS.
    private(set) var first: [[UInt8]] = []
    private var types: [UInt8] = []
    /// The first sample has them in one run, as a reader of the record would put them.
    private var isCanonical = true
    private var hasOthers = false
    private var changes = false
    private var sampleCount = 0

    init(_ codec: NALCodec) { self.codec = codec }

    /// Sets stand nowhere but where a reader of the record puts them.
    var canMove: Bool { isCanonical && !hasOthers }
    /// All sets are those of the first sample.
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

    /// The first SPS; nil without one.
    func sequence() throws(BitstreamError) -> (any SequenceParameterSet)? {
        guard let set = units(codec == .h264 ? 7 : 33).first else { return nil }
        return codec == .h264 ? try H264SPS(nalUnit: set) : try HEVCSPS(nalUnit: set)
    }

    /// What the sets say of it; nil where they do not.
    func frameRate() throws(BitstreamError) -> Rational? {
        if let rate = try sequence()?.frameRate { return rate }
        guard codec == .hevc, let set = units(32).first else { return nil }
        return try HEVCVPS(nalUnit: set).frameRate
    }

    /// The contents of an `avcC` or `hvcC` box.
    ///
    /// - Parameter isComplete: the samples have no sets beside these.
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
    /// Extensions of an SPS, and sets of higher layers, have no place in what is moved.
    fileprivate var isBeyondBaseRecord: Bool {
        h264Type == .spsExtension || h264Type == .subsetSPS || isParameterSet && layerID > 0
    }
}
