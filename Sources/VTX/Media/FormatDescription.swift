import VTXBitstream
public import VTXMedia
import VTXSystem

/// The parameter sets of a stream and what they say, which a decoder needs before the first frame (CoreMedia:
/// `CMVideoFormatDescription`).
public struct FormatDescription: Sendable, Hashable {
    public let codec: VideoCodec
    /// The parameter sets as NAL units without start codes: SPS and PPS for H.264; VPS, SPS and PPS for HEVC. For AV1,
    /// the open bitstream units of the sequence header, including its size, and of metadata.
    public let parameterSets: [[UInt8]]
    /// The number of bytes of the length before each NAL unit of a sample: 1, 2 or 4. 0 for AV1, whose units contain
    /// their size.
    public let lengthSize: Int
    /// The size of the picture, in pixels, after cropping.
    public let size: PixelSize
    /// The color description, as far as the stream declares it.
    public let color: ColorDescription
    /// The number of bits of a luma sample.
    public let bitDepth: Int
    /// The sample aspect ratio; 0/1 if the stream does not declare it.
    public let pixelAspectRatio: Rational
    /// The frame rate, in frames per second; nil if the stream does not declare it.
    public let frameRate: Rational?
    /// The name of the profile in the specification: `High`, `Main 10`.
    public let profileName: String
    /// The level: `4.1`.
    public let levelName: String
    /// The maximum number of frames by which decoding order precedes display order.
    let maxReorder: Int

    /// Creates a format description from parameter sets (C: `CMVideoFormatDescriptionCreateFromH264ParameterSets`,
    /// `...FromHEVCParameterSets`).
    ///
    /// - Parameters:
    ///   - codec: The codec of the parameter sets.
    ///   - parameterSets: NAL units without start codes; for AV1, the complete unit of the sequence header.
    ///   - lengthSize: The number of bytes of the length before each NAL unit: 1, 2 or 4. Ignored for AV1.
    /// - Throws: ``SessionError``: `badParameter` if there is no SPS, or no sequence header for AV1, and for any other
    ///   length size; `badData` if the SPS or the sequence header cannot be parsed.
    public init(codec: VideoCodec, parameterSets: [[UInt8]], lengthSize: Int = 4) throws(SessionError) {
        if let nal = codec.nal {
            try self.init(nal, parameterSets: parameterSets, lengthSize: lengthSize)
        } else {
            try self.init(av1: parameterSets)
        }
    }

    private init(_ codec: NALCodec, parameterSets: [[UInt8]], lengthSize: Int = 4) throws(SessionError) {
        guard [1, 2, 4].contains(lengthSize) else {
            throw SessionError(.badParameter, "lengths have 1, 2 or 4 bytes, not \(lengthSize)")
        }
        let isSPS = { (set: [UInt8]) in NALUnit(codec: codec, range: set.indices, in: set.span.bytes).isSPS }
        guard let bytes = parameterSets.first(where: isSPS) else {
            throw SessionError(.badParameter, "none of \(parameterSets.count) parameter sets is an SPS of \(codec)")
        }
        let sps: any SequenceParameterSet
        do { sps = codec == .h264 ? try H264SPS(nalUnit: bytes) : try HEVCSPS(nalUnit: bytes) } catch {
            throw SessionError(.badData, "the SPS cannot be read: \(error)")
        }
        (self.codec, self.parameterSets, self.lengthSize) = (codec.videoCodec, parameterSets, lengthSize)
        (size, color, bitDepth) = (sps.displaySize, sps.color, sps.bitDepth)
        (frameRate, profileName, levelName) = (sps.frameRate, sps.profileName, sps.levelName)
        (pixelAspectRatio, maxReorder) = (sps.sampleAspectRatio ?? Rational(0, 1), sps.maxReorder)
    }

    /// AV1's temporal units are decoded in display order.
    private init(av1 units: [[UInt8]]) throws(SessionError) {
        guard let unit = units.first(where: AV1CodecConfigurationRecord.isSequenceHeader) else {
            throw SessionError(.badParameter, "none of \(units.count) parameter sets is a sequence header of AV1")
        }
        let header: AV1SequenceHeader
        do {
            header = try AV1SequenceHeader(unit: unit)
            parameterSets = try units.map { unit throws(BitstreamError) in
                try TemporalUnit(unit.span.bytes).bytes.array
            }
        } catch {
            throw SessionError(.badData, "the sequence header cannot be read: \(error)")
        }
        (codec, lengthSize, maxReorder, pixelAspectRatio) = (.av1, 0, 0, Rational(0, 1))
        (size, color, bitDepth) = (header.maxFrameSize, header.color, header.colorConfig.bitDepth)
        (frameRate, profileName, levelName) = (header.frameRate, header.profileName, header.levelName)
    }

    /// The video parameter sets; empty for H.264 and AV1.
    public var videoParameterSets: [[UInt8]] { sets(\.isVPS) }
    /// The sequence parameter sets of H.264 and HEVC; empty for AV1, whose sequence header is in ``parameterSets``.
    public var sequenceParameterSets: [[UInt8]] { sets(\.isSPS) }
    public var pictureParameterSets: [[UInt8]] { sets(\.isPPS) }

    private func sets(_ isWanted: KeyPath<NALUnit, Bool>) -> [[UInt8]] {
        guard let nal = codec.nal else { return [] }
        return parameterSets.filter { NALUnit(codec: nal, range: $0.indices, in: $0.span.bytes)[keyPath: isWanted] }
    }

    /// Creates a format description from a decoder configuration record, as MP4, MOV and Matroska store it: `avcC` or
    /// `hvcC` (ISO 14496-15), or `av1C`.
    ///
    /// - Throws: ``SessionError``: `badData`.
    public init(codec: VideoCodec, configurationRecord: [UInt8]) throws(SessionError) {
        let (sets, lengthSize): ([[UInt8]], Int)
        do {
            switch codec {
            case .h264:
                let record = try AVCDecoderConfigurationRecord(configurationRecord)
                (sets, lengthSize) = (record.spss + record.ppss, record.lengthSize)
            case .hevc:
                let record = try HEVCDecoderConfigurationRecord(configurationRecord)
                (sets, lengthSize) = (record.arrays.flatMap(\.units), record.lengthSize)
            case .av1: (sets, lengthSize) = (try AV1CodecConfigurationRecord(configurationRecord).units, 0)
            }
        } catch {
            throw SessionError(.badData, "the configuration record cannot be read: \(error)")
        }
        try self.init(codec: codec, parameterSets: sets, lengthSize: lengthSize)
    }

    /// Returns the decoder configuration record that MP4, MOV, Matroska and FLV store.
    ///
    /// - Throws: ``SessionError``: `badData` if the parameter sets do not fit into a record.
    public func configurationRecord() throws(SessionError) -> [UInt8] {
        do {
            switch codec {
            case .h264:
                return try AVCDecoderConfigurationRecord(
                    spss: sequenceParameterSets, ppss: pictureParameterSets, lengthSize: lengthSize
                ).bytes()
            case .hevc:
                return try HEVCDecoderConfigurationRecord(
                    vpss: videoParameterSets, spss: sequenceParameterSets, ppss: pictureParameterSets,
                    lengthSize: lengthSize
                ).bytes()
            case .av1: return try AV1CodecConfigurationRecord(units: parameterSets).bytes()
            }
        } catch {
            throw SessionError(.badData, "the parameter sets cannot be put into a record: \(error)")
        }
    }

    /// Parses a container's or an encoder's header: a configuration record, or parameter sets as in a byte stream.
    init(codec: VideoCodec, extradata bytes: [UInt8]) throws(SessionError) {
        if codec == .av1, bytes.first.map({ $0 & 0x80 == 0 }) ?? false {
            try self.init(av1Stream: bytes)
        } else if let nal = codec.nal, AnnexB.beginsWithStartCode(bytes.span.bytes) {
            try self.init(codec: nal, annexB: bytes.span.bytes)
        } else {
            try self.init(codec: codec, configurationRecord: bytes)
        }
    }

    /// Parses the parameter sets of a byte stream, such as the header that an encoder writes.
    init(codec: NALCodec, annexB bytes: RawSpan) throws(SessionError) {
        let units = AnnexB.units(in: bytes, codec: codec).filter(\.isParameterSet)
        try self.init(codec, parameterSets: units.map { bytes.copy($0.range) })
    }

    /// Parses the sequence header of some units.
    init(av1Stream bytes: [UInt8]) throws(SessionError) {
        let unit: TemporalUnit
        do { unit = try TemporalUnit(bytes.span.bytes) } catch {
            throw SessionError(.badData, "the sequence header cannot be read: \(error)")
        }
        try self.init(av1: unit.sequenceHeader.map { [$0] } ?? [])
    }

    /// The parameter sets with start codes before them; for AV1 as they are.
    var byteStream: [UInt8] {
        let startCode = codec.nal == nil ? [] : AnnexB.startCode
        return parameterSets.reduce(into: []) { $0 += startCode + $1 }
    }
}

extension FormatDescription {
    /// Returns a copy whose VUI declares a frame rate. An encoder whose time base is finer than a frame would declare
    /// the time base as the rate, and a byte stream has no other place for the frame rate.
    ///
    /// - Throws: `.badData` if the SPS cannot be parsed or cannot express the rate.
    func declaring(frameRate: Rational) throws(SessionError) -> FormatDescription {
        guard codec == .h264, let nal = codec.nal, let declared = self.frameRate, declared.value != frameRate.value
        else { return self }
        do {
            var sets = parameterSets
            for (index, set) in sets.enumerated() {
                guard NALUnit(codec: nal, range: set.indices, in: set.span.bytes).isSPS else { continue }
                var sps = try H264SPS(nalUnit: set)
                // A frame has two ticks (H.264 E.2.1).
                sps.vui?.timing?.numUnitsInTick = frameRate.denominator
                sps.vui?.timing?.timeScale = frameRate.numerator * 2
                sets[index] = try sps.nalUnit()
            }
            return try FormatDescription(nal, parameterSets: sets, lengthSize: lengthSize)
        } catch let error as SessionError {
            throw error
        } catch {
            throw SessionError(.badData, "the SPS cannot store a frame rate of \(frameRate): \(error)")
        }
    }
}

extension VideoCodec {
    /// - Throws: `.badParameter` for AV1, which has no NAL units.
    func ofNALUnits(_ what: String) throws(SessionError) -> NALCodec {
        guard let nal else {
            throw SessionError(.badParameter, "\(self) has open bitstream units, not \(what); allowed: H.264, HEVC")
        }
        return nal
    }
}
