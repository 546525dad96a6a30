import VTXBitstream
public import VTXMedia

/// A coded frame: NAL units with their lengths in front (CoreMedia: `CMSampleBuffer`).
public struct Sample: Sendable {
    /// NAL units, each after its length, big-endian, in ``FormatDescription/lengthSize`` bytes. A frame may have
    /// several slices, so several NAL units.
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
    /// - Throws: ``SessionError``: `badData` where a length, or what it announces, is not whole.
    public func nalUnits() throws(SessionError) -> [NALUnit] {
        try units().map { NALUnit(range: $0.range, type: Int($0.rawType), name: $0.description) }
    }

    private func units() throws(SessionError) -> [VTXBitstream.NALUnit] {
        try reading { () throws(BitstreamError) in
            try LengthPrefixed(lengthSize: formatDescription.lengthSize)
                .units(in: data.span.bytes, codec: formatDescription.nal)
        }
    }

    private func reading<Result>(_ body: () throws(BitstreamError) -> Result) throws(SessionError) -> Result {
        do { return try body() } catch { throw SessionError(.badData, "a sample's NAL units: \(error)") }
    }
}

extension Sample {
    /// The frame as .h264 and .h265 files have it: 00 00 00 01 before each NAL unit, and before a key frame
    /// the parameter sets (Annex B). One copy of the bytes is made.
    ///
    /// - Parameter withParameterSets: nil for key frames only.
    /// - Throws: ``SessionError``: `badData` where a length, or what it announces, is not whole.
    public func annexB(withParameterSets: Bool? = nil) throws(SessionError) -> [UInt8] {
        let sets = withParameterSets ?? isKeyFrame ? formatDescription.annexB : []
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
    /// - Throws: ``SessionError``: `badParameter` where a NAL unit is longer than the format's lengths can say.
    public init(
        annexB: RawSpan, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) throws(SessionError) {
        let units = AnnexB.units(in: annexB, codec: formatDescription.nal).filter {
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
