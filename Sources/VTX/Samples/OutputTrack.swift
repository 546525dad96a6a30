import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTranscode

/// A track of an output file: its header, and the packets made from its samples.
struct OutputTrack {
    /// nil for video whose first sample has not arrived.
    private(set) var description: OutputStreamDescription?
    private(set) var hasSamples = false
    /// Whether a sample came that is not hidden.
    private var hasShown = false
    var hasEnded = false
    /// Whether the interleaver waits for this track.
    let isAwaited: Bool
    private let container: Container
    private let configuration: VideoInputConfiguration
    /// nil for the output of an encoder.
    private let source: MediaTrack?
    /// The format description in the header.
    private var format: FormatDescription?
    private var last: (dts: Int64, step: Int64)?

    /// Creates a track for the samples of an encoder.
    init(_ configuration: VideoInputConfiguration, in container: Container) {
        (self.configuration, self.container) = (configuration, container)
        (source, isAwaited) = (nil, true)
    }

    /// Creates a track for the samples of another file's track.
    ///
    /// - Throws: `output.codec`.
    init(like track: MediaTrack, in container: Container) throws(MediaFileError) {
        self.container = container
        configuration = VideoInputConfiguration(like: track)
        source = track
        isAwaited = track.kind == .video || track.kind == .audio
        guard track.kind != .attachment, ContainerRules.holds(track.stream.info, in: container) else {
            throw MediaFileError(.outputCodec, "\(container) cannot hold \(track)")
        }
        guard VideoCodec(rawValue: track.codecName) == nil || track.kind != .video else { return }
        var description = OutputStreamDescription(parameters: track.stream.parameters, timeBase: track.timeBase)
        if track.kind == .data { description.codecTag = track.stream.codecTag }
        self.description = describe(description)
    }

    /// Returns the packet for the muxer.
    ///
    /// - Throws: why the sample is rejected.
    mutating func packet(
        of sample: TrackSample, _ writer: SampleWriterConfiguration
    ) throws(MediaFileError) -> Packet {
        var track = self
        let content = try track.content(of: sample, writer)
        guard let timeBase = track.description?.timeBase else {
            throw MediaFileError(.outputCodec, "a sample without a format description is not of this track")
        }
        let times = try track.times(of: sample, timeBase, writer)
        let packet: Packet
        do {
            packet = try content.makePacket(timeBase)
        } catch { throw MediaFileError(.sessionAllocationFailed, "no memory for a sample: \(error)") }
        (packet.pts, packet.dts, packet.duration) = (times.pts, times.dts, times.duration)
        (packet.isKeyFrame, packet.isHidden) = (sample.isKeyFrame, sample.isHidden)
        track.noteFirst(times.pts)
        track.hasSamples = true
        track.hasShown = track.hasShown || !sample.isHidden
        self = track
        return packet
    }

    /// Audio samples before the start: MP4 hides them with an edit list, Matroska with a codec delay.
    private mutating func noteFirst(_ pts: Int64) {
        guard !hasSamples, pts < 0, container == .mkv, let known = description, known.parameters.kind == .audio
        else { return }
        let rate = Rational(1, known.parameters.sampleRate)
        description?.initialPadding = Int(-MediaTime.rescale(pts, from: known.timeBase, to: rate))
    }
}

// MARK: Times

extension OutputTrack {
    private mutating func times(
        of sample: TrackSample, _ timeBase: Rational, _ writer: SampleWriterConfiguration
    ) throws(MediaFileError) -> (pts: Int64, dts: Int64, duration: Int64) {
        let (pts, dts) = (
            ticks(sample.presentationTime, timeBase, writer), ticks(sample.decodingTime, timeBase, writer)
        )
        if let last, dts <= last.dts {
            throw MediaFileError(
                .sessionBadParameter,
                "decoding times must increase: \(seconds(sample.decodingTime)) s does not follow the previous sample, "
                    + "in steps of \(timeBase) s")
        }
        guard dts <= pts else {
            throw MediaFileError(
                .sessionBadParameter,
                "a sample cannot be decoded at \(seconds(sample.decodingTime)) s and shown at "
                    + "\(seconds(sample.presentationTime)) s")
        }
        try checkStart(sample, pts)
        let step = last.map { dts - $0.dts } ?? usualStep(timeBase)
        last = (dts, step)
        return (pts, dts, sample.duration?.rescaled(to: timeBase).ticks ?? step)
    }

    private func ticks(_ time: MediaTime, _ timeBase: Rational, _ writer: SampleWriterConfiguration) -> Int64 {
        (writer.startTime == .zero ? time : time - writer.startTime).rescaled(to: timeBase).ticks
    }

    private func usualStep(_ timeBase: Rational) -> Int64 {
        guard let rate = description?.frameRate, rate.isPositive else { return 0 }
        return MediaTime.rescale(1, from: rate.reciprocal, to: timeBase)
    }

    private func checkStart(_ sample: TrackSample, _ pts: Int64) throws(MediaFileError) {
        let isVideo = description?.parameters.kind == .video
        if pts < 0, isVideo, ![.mp4, .mov].contains(container) {
            throw MediaFileError(
                .outputEditList,
                "a frame at \(seconds(sample.presentationTime)) s is before the start, which \(container) cannot hide"
            )
        }
        guard sample.isHidden, isVideo, pts >= 0, !hasShown else { return }
        throw MediaFileError(
            .outputEditList,
            "a hidden frame at \(seconds(sample.presentationTime)) s would be shown: only frames before the start are "
                + "hidden")
    }

    private func seconds(_ time: MediaTime) -> String { "\((time.seconds * 1_000_000).rounded() / 1_000_000)" }
}

// MARK: Bytes

extension OutputTrack {
    private var isVideoOfSessions: Bool { source.map { $0.codec != nil } ?? true }

    private mutating func content(
        of sample: TrackSample, _ writer: SampleWriterConfiguration
    ) throws(MediaFileError) -> CodedData {
        guard isVideoOfSessions else { return sample.content }
        guard let format = sample.formatDescription else {
            throw MediaFileError(.outputCodec, "a sample without a format description is not of this track")
        }
        let isChanged = try adopt(format, sample, writer)
        if format.codec == .av1 { return sample.content }
        do throws(SessionError) {
            if container == .ts { return CodedData(try sample.sample?.annexB() ?? []) }
            let isPlain = !writer.repeatsParameterSets || !(sample.isKeyFrame || isChanged)
            if isPlain, sample.content.framing == .lengthPrefixes { return sample.content }
            let sets = isPlain ? [] : try format.lengthPrefixedSets()
            return CodedData(sets + (try sample.content.lengthPrefixed(format)))
        } catch { throw MediaFileError(error) }
    }

    /// - Returns: whether the parameter sets differ from those in the header.
    private mutating func adopt(
        _ format: FormatDescription, _ sample: TrackSample, _ writer: SampleWriterConfiguration
    ) throws(MediaFileError) -> Bool {
        guard let first = self.format else {
            try begin(format, sample, writer)
            return false
        }
        guard first.codec == format.codec, first.size == format.size, first.lengthSize == format.lengthSize else {
            throw MediaFileError(
                .parameterSetsChange,
                "a track of \(first.codec) in \(first.size) does not accept \(format.codec) in \(format.size)")
        }
        let isChanged = first.parameterSets != format.parameterSets
        guard !isChanged || container == .ts || writer.repeatsParameterSets else {
            throw MediaFileError(
                .parameterSetsChange,
                "the parameter sets change, but the header has only those of the first sample; repeatsParameterSets "
                    + "writes them into the samples")
        }
        return isChanged
    }

    private mutating func begin(
        _ format: FormatDescription, _ sample: TrackSample, _ writer: SampleWriterConfiguration
    ) throws(MediaFileError) {
        guard
            format.codec == .av1 || !format.pictureParameterSets.isEmpty,
            format.codec != .hevc || !format.videoParameterSets.isEmpty
        else {
            throw MediaFileError(.inputParameterSets, "the format description has no PPS, or no VPS")
        }
        guard container.videoCodecs.contains(format.codec) else {
            throw MediaFileError(.outputCodec, "\(container) cannot hold \(format.codec)")
        }
        let timeBase =
            configuration.timescale.map { Rational(1, Int($0)) } ?? source?.timeBase
            ?? sample.presentationTime.timeBase
        do {
            let record = container == .ts ? [] : try format.configurationRecord()
            let parameters = try CodecParameters(video: format.codec, size: format.size, extradata: record)
            var described = description(of: format, parameters, timeBase)
            described.codecTag = tag(format, repeatsSets: writer.repeatsParameterSets)
            description = describe(described)
        } catch { throw MediaFileError(.inputParameterSets, "no header can be created: \(error)") }
        self.format = format
    }

    /// Returns the header of the track. The metadata of the source track takes precedence over the parameter sets.
    private func description(
        of format: FormatDescription, _ parameters: CodecParameters, _ timeBase: Rational
    ) -> OutputStreamDescription {
        var description = OutputStreamDescription(parameters: parameters, timeBase: timeBase)
        description.frameRate = source?.frameRate ?? format.frameRate ?? Rational(0, 1)
        description.sampleAspectRatio = source?.pixelAspectRatio ?? format.pixelAspectRatio
        description.color = format.color.filled(from: source?.color ?? .unspecified)
        return description
    }

    /// The sample entry for parameter sets in samples (ISO 14496-15 5.4.2, 8.4.1). Otherwise `hvc1`: Apple's players
    /// accept no other entry for HEVC.
    private func tag(_ format: FormatDescription, repeatsSets: Bool) -> UInt32 {
        guard [.mp4, .mov].contains(container) else { return 0 }
        let inSamples = [OutputStreamDescription.tag("hev1"), OutputStreamDescription.tag("avc3")]
        if let source, inSamples.contains(source.stream.codecTag) { return source.stream.codecTag }
        if format.codec == .av1 { return 0 }
        if format.codec == .hevc { return OutputStreamDescription.tag(repeatsSets ? "hev1" : "hvc1") }
        return repeatsSets ? OutputStreamDescription.tag("avc3") : 0
    }

    /// Adds the metadata of the configuration or of the source track.
    private func describe(_ description: OutputStreamDescription) -> OutputStreamDescription {
        var description = description
        description.disposition = source?.stream.disposition ?? .default
        description.displayMatrix = configuration.displayMatrix
        description.hdrMetadata = configuration.hdrMetadata
        if let language = configuration.language { description.metadata.append(MetadataEntry("language", language)) }
        if let title = source?.stream.metadata["title"] { description.metadata.append(MetadataEntry("title", title)) }
        return description
    }
}

extension FormatDescription {
    /// The parameter sets with length prefixes, as in a sample.
    fileprivate func lengthPrefixedSets() throws(SessionError) -> [UInt8] {
        let (stream, nal) = (byteStream, try codec.ofNALUnits("lengths"))
        do { return try LengthPrefixed(lengthSize: lengthSize).convert(annexB: stream.span.bytes, codec: nal) } catch {
            throw SessionError(.badParameter, "the parameter sets do not fit into samples: \(error)")
        }
    }
}
