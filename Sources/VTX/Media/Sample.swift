import VTXBitstream
import VTXFFmpeg
public import VTXMedia
import VTXSystem

/// A coded frame (CoreMedia: `CMSampleBuffer`): NAL units with length prefixes, or a temporal unit of AV1.
public struct Sample: Sendable {
    /// The coded data. For H.264 and HEVC: NAL units, each prefixed with its length as a big-endian number of
    /// ``FormatDescription/lengthSize`` bytes. A frame of several slices has several NAL units.
    ///
    /// For AV1: the open bitstream units of one shown frame, without a temporal delimiter, as in MP4 and Matroska.
    /// Samples from a session have the sequence header before each key frame.
    ///
    /// A sample from a session refers to the encoder's bytes. This property converts them on each access;
    /// ``forEachNALUnit(_:)`` reads them without a copy.
    public var data: [UInt8] {
        // Lengths of four bytes, which the encoders' and readers' samples have, fit any unit.
        get { (try? content.lengthPrefixed(formatDescription)) ?? [] }
        set { content = CodedData(newValue) }
    }
    /// The data as the encoder has written it, or the container stores it.
    var content: CodedData
    public var presentationTime: MediaTime
    /// The time at which decoding has to begin. It increases from sample to sample, and is never later than
    /// `presentationTime`.
    public var decodingTime: MediaTime
    /// nil if unknown.
    public var duration: MediaTime?
    /// Whether decoding can begin at this sample.
    public var isKeyFrame: Bool
    /// Whether the frame is decoded but not shown, because it precedes the requested range and frames in the range
    /// refer to it (`kCMSampleAttachmentKey_DoNotDisplay`). A ``DecompressionSession`` does not output it.
    public var isHidden = false
    public var formatDescription: FormatDescription

    public init(
        data: [UInt8], presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) {
        self.init(
            CodedData(data), presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
            isKeyFrame: isKeyFrame, formatDescription: formatDescription)
    }

    init(
        _ content: CodedData, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime?,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) {
        self.content = content
        self.presentationTime = presentationTime
        self.decodingTime = decodingTime
        self.duration = duration
        self.isKeyFrame = isKeyFrame
        self.formatDescription = formatDescription
    }

    /// A NAL unit of a sample.
    public struct NALUnit: Sendable, Hashable {
        /// The range of its bytes in ``Sample/data``, without the length prefix.
        public var range: Range<Int>
        /// The `nal_unit_type`: 0 to 31 for H.264, 0 to 63 for HEVC.
        public var type: Int
        /// The name of the type: `IDR slice`, `FU-A`, `TRAIL_R`.
        public var name: String
    }

    /// The number of bytes as the encoder has written them: with start codes or length prefixes, and with parameter sets
    /// if they are repeated before key frames.
    public var byteCount: Int { content.byteCount }

    /// Returns the NAL units in ``data``, in order. Take ``data`` once: each access converts the frame.
    ///
    /// - Throws: ``SessionError``: `badData` if a NAL unit or its length is truncated; `badParameter` for AV1.
    public func nalUnits() throws(SessionError) -> [NALUnit] {
        try CodedData(data).nalUnits(formatDescription).map {
            NALUnit(range: $0.range, type: Int($0.rawType), name: $0.description)
        }
    }

    /// Calls a closure with the `nal_unit_type` and the bytes of each NAL unit, in order, without a copy. The bytes have
    /// no start code or length prefix. Parameter sets are in ``formatDescription``.
    ///
    /// - Throws: ``SessionError``: `badData` if a NAL unit or its length is truncated; `badParameter` for AV1. Otherwise
    ///   the error of the closure.
    public func forEachNALUnit(_ body: (_ type: Int, _ unit: RawSpan) throws -> Void) throws {
        let units = try content.nalUnits(formatDescription)
        try content.withBytes { bytes in
            for unit in units { try body(Int(unit.rawType), bytes.extracting(unit.range)) }
        }
    }
}

extension Sample {
    /// Returns the frame in Annex B format, as in .h264 and .h265 files: 00 00 00 01 before each NAL unit, and the
    /// parameter sets before a key frame. The data is copied once.
    ///
    /// - Parameter withParameterSets: Whether to include the parameter sets; nil for key frames only.
    /// - Throws: ``SessionError``: `badData` if a NAL unit or its length is truncated; `badParameter` for AV1, which
    ///   has ``obuStream(withSequenceHeader:)``.
    public func annexB(withParameterSets: Bool? = nil) throws(SessionError) -> [UInt8] {
        let sets = withParameterSets ?? isKeyFrame ? formatDescription.byteStream : []
        let units = try content.nalUnits(formatDescription)
        var stream: [UInt8] = []
        stream.reserveCapacity(units.reduce(sets.count) { $0 + AnnexB.startCode.count + $1.range.count })
        stream += sets
        content.withBytes { bytes in
            for unit in units { AnnexB.append(unit, of: bytes, to: &stream) }
        }
        return stream
    }

    /// Creates a sample from a frame in Annex B format. Parameter sets that the format description contains are
    /// removed.
    ///
    /// - Parameters:
    ///   - annexB: NAL units after start codes of three or four bytes.
    ///   - presentationTime: See ``presentationTime``.
    ///   - decodingTime: See ``decodingTime``.
    ///   - duration: The duration, or nil if unknown.
    ///   - isKeyFrame: Whether decoding can begin at this sample.
    ///   - formatDescription: The parameter sets and the size of the length prefixes.
    /// - Throws: ``SessionError``: `badParameter` if a NAL unit is too long for the length prefix, and for AV1.
    public init(
        annexB: RawSpan, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) throws(SessionError) {
        let codec = try formatDescription.codec.ofNALUnits("start codes")
        let units = AnnexB.units(in: annexB, codec: codec, without: formatDescription.parameterSets)
        self.init(
            data: try formatDescription.lengthPrefixed(units, of: annexB), presentationTime: presentationTime,
            decodingTime: decodingTime, duration: duration, isKeyFrame: isKeyFrame,
            formatDescription: formatDescription)
    }
}

// MARK: AV1

extension Sample {
    /// Returns the frame as in .obu files (AV1 5.2, the low-overhead format): a temporal delimiter, then the units with
    /// their sizes. The sequence header is inserted if the sample has none.
    ///
    /// - Parameter withSequenceHeader: Whether to insert the sequence header; nil for key frames only.
    /// - Throws: ``SessionError``: `badData` if a unit is truncated; `badParameter` for H.264 and HEVC, which have
    ///   ``annexB(withParameterSets:)``.
    public func obuStream(withSequenceHeader: Bool? = nil) throws(SessionError) -> [UInt8] {
        guard formatDescription.codec == .av1 else {
            throw SessionError(.badParameter, "\(formatDescription.codec) has no open bitstream units; allowed: AV1")
        }
        let isWanted = withSequenceHeader ?? isKeyFrame
        let headers = isWanted ? formatDescription.byteStream : []
        let unit = try content.withBytes { bytes throws(SessionError) in
            do { return try TemporalUnit(bytes, inserting: headers.span.bytes) } catch {
                throw SessionError(.badData, "a sample's units: \(error)")
            }
        }
        return OpenBitstreamUnit.write(.temporalDelimiter, []) + unit.bytes.array
    }

    /// Creates a sample that refers to an encoder's packet.
    ///
    /// - Throws: `.badData` if its units cannot be parsed.
    init(
        encoded packet: Packet, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime?,
        isKeyFrame: Bool, formatDescription: FormatDescription
    ) throws(SessionError) {
        var content = CodedData(packet, .startCodes(without: formatDescription.parameterSets))
        if formatDescription.codec == .av1 {
            do { content = try CodedData(temporalUnit: packet) } catch {
                throw SessionError(.badData, "an encoder's units: \(error)")
            }
        }
        self.init(
            content, presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
            isKeyFrame: isKeyFrame, formatDescription: formatDescription)
    }
}
