import VTXBitstream
public import VTXMedia

/// What a decoder has to know before the first frame (CoreMedia: `CMVideoFormatDescription`).
public struct FormatDescription: Sendable, Hashable {
    public let codec: VideoCodec
    /// NAL units without start codes: SPS and PPS of H.264; VPS, SPS and PPS of HEVC. Of AV1, the open bitstream unit of the
    /// sequence header, with its size, and those of metadata.
    public let parameterSets: [[UInt8]]
    /// How many bytes the length before a sample's NAL unit has: 1, 2 or 4. AV1's units say their own size, and have none: 0.
    public let lengthSize: Int
    /// In pixels, as shown.
    public let size: PixelSize
    /// What the samples mean, as far as the stream says it.
    public let color: ColorDescription
    /// Bits of a luma sample.
    public let bitDepth: Int
    /// The shape of a sample; 0/1 where the stream does not say it.
    public let pixelAspectRatio: Rational
    /// Frames a second, where the stream says it.
    public let frameRate: Rational?
    /// By the specification's name: `High`, `Main 10`.
    public let profileName: String
    /// `4.1`.
    public let levelName: String
    /// Frames by which decoding is ahead of showing, at most.
    let maxReorder: Int

    /// (C: `CMVideoFormatDescriptionCreateFromH264ParameterSets`, `...FromHEVCParameterSets`)
    ///
    /// - Parameters:
    ///   - codec: whose parameter sets they are.
    ///   - parameterSets: NAL units without start codes; AV1's sequence header as a whole unit.
    ///   - lengthSize: bytes of the length before each NAL unit; AV1 takes no notice of it.
    /// - Throws: ``SessionError``: `badParameter` without an SPS, or a sequence header of AV1, and for another length than 1,
    ///   2 and 4; `badData` where the SPS or the sequence header cannot be read.
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

    /// Temporal units are decoded in the order in which they are shown.
    private init(av1 units: [[UInt8]]) throws(SessionError) {
        guard let unit = units.first(where: AV1CodecConfigurationRecord.isSequenceHeader) else {
            throw SessionError(.badParameter, "none of \(units.count) parameter sets is a sequence header of AV1")
        }
        let header: AV1SequenceHeader
        do {
            header = try AV1SequenceHeader(unit: unit)
            parameterSets = try units.map { unit throws(BitstreamError) in try TemporalUnit(unit.span.bytes).bytes }
        } catch {
            throw SessionError(.badData, "the sequence header cannot be read: \(error)")
        }
        (codec, lengthSize, maxReorder, pixelAspectRatio) = (.av1, 0, 0, Rational(0, 1))
        (size, color, bitDepth) = (header.maxFrameSize, header.color, header.colorConfig.bitDepth)
        (frameRate, profileName, levelName) = (header.frameRate, header.profileName, header.levelName)
    }

    /// The video parameter sets; none in H.264 and AV1.
    public var videoParameterSets: [[UInt8]] { sets(\.isVPS) }
    /// Those of H.264 and HEVC; the sequence header of AV1 is in ``parameterSets``.
    public var sequenceParameterSets: [[UInt8]] { sets(\.isSPS) }
    public var pictureParameterSets: [[UInt8]] { sets(\.isPPS) }

    private func sets(_ isWanted: KeyPath<NALUnit, Bool>) -> [[UInt8]] {
        guard let nal = codec.nal else { return [] }
        return parameterSets.filter { NALUnit(codec: nal, range: $0.indices, in: $0.span.bytes)[keyPath: isWanted] }
    }

    /// Reads what MP4, MOV and Matroska have in their headers: an `avcC` or `hvcC` record (ISO 14496-15), or an `av1C`.
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

    /// The record that MP4, MOV, Matroska and FLV want in their headers.
    ///
    /// - Throws: ``SessionError``: `badData` where the parameter sets do not fit into one.
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
            throw SessionError(.badData, "the parameter sets make no record: \(error)")
        }
    }

    /// The parameter sets as they are in a byte stream, or the record, as a container's or an encoder's header has them.
    init(codec: VideoCodec, extradata bytes: [UInt8]) throws(SessionError) {
        if codec == .av1, bytes.first.map({ $0 & 0x80 == 0 }) ?? false {
            try self.init(av1Stream: bytes)
        } else if let nal = codec.nal, AnnexB.beginsWithStartCode(bytes.span.bytes) {
            try self.init(codec: nal, annexB: bytes.span.bytes)
        } else {
            try self.init(codec: codec, configurationRecord: bytes)
        }
    }

    /// The parameter sets of a byte stream, such as the header that an encoder writes.
    init(codec: NALCodec, annexB bytes: RawSpan) throws(SessionError) {
        let units = AnnexB.units(in: bytes, codec: codec).filter(\.isParameterSet)
        try self.init(codec, parameterSets: units.map { bytes.copy($0.range) })
    }

    /// The sequence header of some units.
    init(av1Stream bytes: [UInt8]) throws(SessionError) {
        let unit: TemporalUnit
        do { unit = try TemporalUnit(bytes.span.bytes) } catch {
            throw SessionError(.badData, "the sequence header cannot be read: \(error)")
        }
        try self.init(av1: unit.sequenceHeader.map { [$0] } ?? [])
    }

    /// The parameter sets with start codes before them; AV1's as they are.
    var byteStream: [UInt8] {
        let startCode = codec.nal == nil ? [] : AnnexB.startCode
        return parameterSets.reduce(into: []) { $0 += startCode + $1 }
    }
}

extension FormatDescription {
    /// The same with a VUI that says this frame rate. An encoder whose unit of time is finer than a frame takes it for
    /// the rate, and a byte stream has nothing else to tell how fast it is to be shown.
    ///
    /// - Throws: `.badData` where the SPS cannot be read, or cannot hold the rate.
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
            throw SessionError(.badData, "the SPS cannot say \(frameRate) frames a second: \(error)")
        }
    }
}

extension VideoCodec {
    /// - Throws: `.badParameter` for AV1, which has no NAL units.
    func ofNALUnits(_ what: String) throws(SessionError) -> NALCodec {
        guard let nal else {
            throw SessionError(.badParameter, "\(self) has no \(what), but open bitstream units; allowed: H.264, HEVC")
        }
        return nal
    }
}
