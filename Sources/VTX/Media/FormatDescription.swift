import VTXBitstream
public import VTXMedia

/// What a decoder has to know before the first frame (CoreMedia: `CMVideoFormatDescription`).
public struct FormatDescription: Sendable, Hashable {
    public var codec: VideoCodec { nal.videoCodec }
    let nal: NALCodec
    /// NAL units without start codes: SPS and PPS of H.264; VPS, SPS and PPS of HEVC.
    public let parameterSets: [[UInt8]]
    /// How many bytes the length before a sample's NAL unit has: 1, 2 or 4.
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
    /// - Throws: ``SessionError``: `badParameter` for AV1, without an SPS or for another length than 1, 2 and 4; `badData`
    ///   where the SPS cannot be read.
    public init(codec: VideoCodec, parameterSets: [[UInt8]], lengthSize: Int = 4) throws(SessionError) {
        try self.init(codec.inSessions(), parameterSets: parameterSets, lengthSize: lengthSize)
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
        (nal, self.parameterSets, self.lengthSize) = (codec, parameterSets, lengthSize)
        (size, color, bitDepth) = (sps.displaySize, sps.color, sps.bitDepth)
        (frameRate, profileName, levelName) = (sps.frameRate, sps.profileName, sps.levelName)
        (pixelAspectRatio, maxReorder) = (sps.sampleAspectRatio ?? Rational(0, 1), sps.maxReorder)
    }

    /// The video parameter sets; none in H.264.
    public var videoParameterSets: [[UInt8]] { sets(\.isVPS) }
    public var sequenceParameterSets: [[UInt8]] { sets(\.isSPS) }
    public var pictureParameterSets: [[UInt8]] { sets(\.isPPS) }

    private func sets(_ isWanted: KeyPath<NALUnit, Bool>) -> [[UInt8]] {
        parameterSets.filter { NALUnit(codec: nal, range: $0.indices, in: $0.span.bytes)[keyPath: isWanted] }
    }

    /// Reads what MP4, MOV and Matroska have in their headers: an `avcC` or `hvcC` record (ISO 14496-15).
    ///
    /// - Throws: ``SessionError``: `badData`.
    public init(codec: VideoCodec, configurationRecord: [UInt8]) throws(SessionError) {
        let (sets, lengthSize): ([[UInt8]], Int)
        let codec = try codec.inSessions()
        do {
            switch codec {
            case .h264:
                let record = try AVCDecoderConfigurationRecord(configurationRecord)
                (sets, lengthSize) = (record.spss + record.ppss, record.lengthSize)
            case .hevc:
                let record = try HEVCDecoderConfigurationRecord(configurationRecord)
                (sets, lengthSize) = (record.arrays.flatMap(\.units), record.lengthSize)
            }
        } catch {
            throw SessionError(.badData, "the configuration record cannot be read: \(error)")
        }
        try self.init(codec, parameterSets: sets, lengthSize: lengthSize)
    }

    /// The record that MP4, MOV, Matroska and FLV want in their headers.
    ///
    /// - Throws: ``SessionError``: `badData` where the parameter sets do not fit into one.
    public func configurationRecord() throws(SessionError) -> [UInt8] {
        do {
            switch nal {
            case .h264:
                return try AVCDecoderConfigurationRecord(
                    spss: sequenceParameterSets, ppss: pictureParameterSets, lengthSize: lengthSize
                ).bytes()
            case .hevc:
                return try HEVCDecoderConfigurationRecord(
                    vpss: videoParameterSets, spss: sequenceParameterSets, ppss: pictureParameterSets,
                    lengthSize: lengthSize
                ).bytes()
            }
        } catch {
            throw SessionError(.badData, "the parameter sets make no record: \(error)")
        }
    }

    /// The parameter sets with start codes, or the record, as a container's header has them.
    init(codec: NALCodec, extradata bytes: [UInt8]) throws(SessionError) {
        if AnnexB.beginsWithStartCode(bytes.span.bytes) {
            try self.init(codec: codec, annexB: bytes.span.bytes)
        } else {
            try self.init(codec: codec.videoCodec, configurationRecord: bytes)
        }
    }

    /// The parameter sets of a byte stream, such as the header that an encoder writes.
    init(codec: NALCodec, annexB bytes: RawSpan) throws(SessionError) {
        let units = AnnexB.units(in: bytes, codec: codec).filter(\.isParameterSet)
        try self.init(codec, parameterSets: units.map { bytes.copy($0.range) })
    }

    /// The parameter sets with start codes before them.
    var annexB: [UInt8] { parameterSets.reduce(into: []) { $0 += AnnexB.startCode + $1 } }
}

extension FormatDescription {
    /// The same with a VUI that says this frame rate. An encoder whose unit of time is finer than a frame takes it for
    /// the rate, and a byte stream has nothing else to tell how fast it is to be shown.
    ///
    /// - Throws: `.badData` where the SPS cannot be read, or cannot hold the rate.
    func declaring(frameRate: Rational) throws(SessionError) -> FormatDescription {
        guard codec == .h264, let declared = self.frameRate, declared.value != frameRate.value else { return self }
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
    /// - Throws: `.badParameter` for a codec that the sessions do not have.
    func inSessions() throws(SessionError) -> NALCodec {
        guard let nal else {
            let allowed = VideoCodec.ofNALUnits.map(\.description).joined(separator: ", ")
            throw SessionError(.badParameter, "sessions have no \(self); allowed: \(allowed)")
        }
        return nal
    }
}
