import VTXBitstream
import VTXMedia
import VTXTask

/// Where a container keeps a stream's parameter sets, so that none is lost and each comes back in its place.
///
/// Sets that stand once, before the first picture, go to the record, and the sample entry is `avc1` or `hvc1`,
/// which every player knows. Where they come again, or change, they stay where they are, in the samples: `avc3`,
/// `hev1`. The record holds the first ones in either case.
struct ParameterSetPlacement {
    private let codec: VideoCodec
    /// Those of the first sample, each once, in the order VPS, SPS, PPS.
    private(set) var first: [[UInt8]] = []
    private var types: [UInt8] = []
    /// The first sample has them in one run, as a reader of the record would put them.
    private var isCanonical = true
    private var hasOthers = false
    private var changes = false
    private var sampleCount = 0

    init(_ codec: VideoCodec) { self.codec = codec }

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
