import VTXBitstream
public import VTXMedia

/// A coded frame (CoreMedia: `CMSampleBuffer`): NAL units with their lengths in front, or a temporal unit of AV1.
public struct Sample: Sendable {
    /// NAL units, each after its length, big-endian, in ``FormatDescription/lengthSize`` bytes. A frame may have
    /// several slices, so several NAL units.
    ///
    /// Of AV1: the open bitstream units of one shown frame, without a temporal delimiter, as MP4 and Matroska have them. What
    /// a session encodes has the sequence header before each key frame.
    public var data: [UInt8]
    public var presentationTime: MediaTime
    /// When a decoder has to begin with it: in the order of the samples, never later than `presentationTime`.
    public var decodingTime: MediaTime
    /// nil where it is not known.
    public var duration: MediaTime?
    /// Decoding can begin here.
    public var isKeyFrame: Bool
    /// It is there to be decoded, not to be shown: it comes before the part that is wanted, and frames of that refer to
    /// it (`kCMSampleAttachmentKey_DoNotDisplay`). A ``DecompressionSession`` does not give it out.
    public var isHidden = false
    public var formatDescription: FormatDescription

    public init(
        data: [UInt8], presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) {
        self.data = data
        self.presentationTime = presentationTime
        self.decodingTime = decodingTime
        self.duration = duration
        self.isKeyFrame = isKeyFrame
        self.formatDescription = formatDescription
    }

    /// A NAL unit of a sample.
    public struct NALUnit: Sendable, Hashable {
        /// Where its bytes are in ``Sample/data``, without the length.
        public var range: Range<Int>
        /// `nal_unit_type`: 0 to 31 in H.264, 0 to 63 in HEVC.
        public var type: Int
        /// The type's name: `IDR slice`, `FU-A`, `TRAIL_R`.
        public var name: String
    }

    /// All NAL units, in order.
    ///
    /// - Throws: ``SessionError``: `badData` where a length, or what it announces, is not whole; `badParameter` for AV1.
    public func nalUnits() throws(SessionError) -> [NALUnit] {
        try units().map { NALUnit(range: $0.range, type: Int($0.rawType), name: $0.description) }
    }

    private func units() throws(SessionError) -> [VTXBitstream.NALUnit] {
        let codec = try formatDescription.codec.ofNALUnits("NAL units")
        return try reading { () throws(BitstreamError) in
            try LengthPrefixed(lengthSize: formatDescription.lengthSize).units(in: data.span.bytes, codec: codec)
        }
    }

    private func reading<Result>(_ body: () throws(BitstreamError) -> Result) throws(SessionError) -> Result {
        do { return try body() } catch { throw SessionError(.badData, "a sample's units: \(error)") }
    }
}

extension Sample {
    /// The frame as .h264 and .h265 files have it: 00 00 00 01 before each NAL unit, and before a key frame
    /// the parameter sets (Annex B). One copy of the bytes is made.
    ///
    /// - Parameter withParameterSets: nil for key frames only.
    /// - Throws: ``SessionError``: `badData` where a length, or what it announces, is not whole; `badParameter` for AV1,
    ///   which has ``obuStream(withSequenceHeader:)``.
    public func annexB(withParameterSets: Bool? = nil) throws(SessionError) -> [UInt8] {
        let sets = withParameterSets ?? isKeyFrame ? formatDescription.byteStream : []
        let units = try units()
        var stream: [UInt8] = []
        stream.reserveCapacity(units.reduce(sets.count) { $0 + AnnexB.startCode.count + $1.range.count })
        stream += sets
        for unit in units { AnnexB.append(unit, of: data.span.bytes, to: &stream) }
        return stream
    }

    /// A frame of a byte stream. Parameter sets stay out of the sample where the format description has them already.
    ///
    /// - Parameters:
    ///   - annexB: NAL units after start codes of three or four bytes.
    ///   - presentationTime: see ``presentationTime``.
    ///   - decodingTime: see ``decodingTime``.
    ///   - duration: nil where it is not known.
    ///   - isKeyFrame: decoding can begin here.
    ///   - formatDescription: has the parameter sets, and says how many bytes lengths have.
    /// - Throws: ``SessionError``: `badParameter` where a NAL unit is longer than the format's lengths can say, and for AV1.
    public init(
        annexB: RawSpan, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) throws(SessionError) {
        let codec = try formatDescription.codec.ofNALUnits("start codes")
        let units = AnnexB.units(in: annexB, codec: codec).filter {
            !($0.isParameterSet && formatDescription.parameterSets.contains(annexB.copy($0.range)))
        }
        do {
            let lengths = try LengthPrefixed(lengthSize: formatDescription.lengthSize)
            self.init(
                data: try lengths.write(units, of: annexB), presentationTime: presentationTime,
                decodingTime: decodingTime, duration: duration, isKeyFrame: isKeyFrame,
                formatDescription: formatDescription)
        } catch {
            throw SessionError(.badParameter, "a sample cannot hold the NAL units: \(error)")
        }
    }
}

// MARK: AV1

extension Sample {
    /// The frame as .obu files have it (AV1 5.2, the low-overhead format): a temporal delimiter, and the units, each with its
    /// size; the sequence header before them where they have none.
    ///
    /// - Parameter withSequenceHeader: nil for key frames only.
    /// - Throws: ``SessionError``: `badData` where a unit is not whole; `badParameter` for H.264 and HEVC, which have
    ///   ``annexB(withParameterSets:)``.
    public func obuStream(withSequenceHeader: Bool? = nil) throws(SessionError) -> [UInt8] {
        guard formatDescription.codec == .av1 else {
            throw SessionError(.badParameter, "\(formatDescription.codec) has no open bitstream units; allowed: AV1")
        }
        let unit = try temporalUnit()
        let isHeaderWanted = (withSequenceHeader ?? isKeyFrame) && unit.sequenceHeader == nil
        let delimiter = OpenBitstreamUnit.write(.temporalDelimiter, [])
        return delimiter + (isHeaderWanted ? formatDescription.byteStream : []) + unit.bytes
    }

    private func temporalUnit() throws(SessionError) -> TemporalUnit {
        try reading { () throws(BitstreamError) in try TemporalUnit(data.span.bytes) }
    }

    /// The frame with all that a decoder needs, as a byte stream has it.
    func byteStream(withParameterSets: Bool) throws(SessionError) -> [UInt8] {
        formatDescription.codec == .av1
            ? try obuStream(withSequenceHeader: withParameterSets) : try annexB(withParameterSets: withParameterSets)
    }

    /// What an encoder gives out.
    init(
        encoded bytes: RawSpan, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime?,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) throws(SessionError) {
        guard formatDescription.codec == .av1 else {
            try self.init(
                annexB: bytes, presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
                isKeyFrame: isKeyFrame, formatDescription: formatDescription)
            return
        }
        let unit: TemporalUnit
        do { unit = try TemporalUnit(bytes) } catch {
            throw SessionError(.badData, "an encoder's units: \(error)")
        }
        self.init(
            data: unit.bytes, presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
            isKeyFrame: isKeyFrame, formatDescription: formatDescription)
    }
}
