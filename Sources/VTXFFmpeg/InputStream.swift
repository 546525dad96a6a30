import CFFmpeg
import CVTXShims
package import VTXMedia

/// A stream of an opened file: its properties, and what is needed to decode or copy it.
@dynamicMemberLookup
package struct InputStream: Sendable {
    package var info: StreamInfo
    package var parameters: CodecParameters
    /// The bytes of cover art; empty for other streams.
    package var attachedPicture: [UInt8] = []

    package subscript<Value>(dynamicMember path: WritableKeyPath<StreamInfo, Value>) -> Value {
        get { info[keyPath: path] }
        set { info[keyPath: path] = newValue }
    }

    package subscript<Value>(dynamicMember path: KeyPath<StreamInfo, Value>) -> Value { info[keyPath: path] }
}

extension InputStream {
    /// Creates a stream without a container from its parameter sets, in Annex B.
    package init(_ codec: VideoCodec, parameterSets: [UInt8], timeBase: Rational) throws(FFmpegError) {
        let parameters = try CodecParameters(video: codec, extradata: parameterSets)
        self.init(info: StreamInfo(index: 0, parameters, timeBase: timeBase), parameters: parameters)
    }
}

extension InputStream {
    /// Creates a stream for an encoder's output.
    package init(_ parameters: CodecParameters, timeBase: Rational) {
        self.init(info: StreamInfo(index: 0, parameters, timeBase: timeBase), parameters: parameters)
    }
}

extension StreamInfo {
    /// Creates a stream from its parameters; the container adds the rest.
    init(index: Int, _ parameters: CodecParameters, timeBase: Rational) {
        self.init(
            index: index, kind: parameters.kind, codecName: parameters.codecName, codecTag: parameters.codecTag,
            timeBase: timeBase)
        profileName = parameters.profileName
        bitrate = parameters.bitrate
        switch kind {
        case .video:
            size = parameters.size
            pixelFormat = parameters.pixelFormat
            color = parameters.color
            isInterlaced = parameters.isInterlaced
        case .audio:
            sampleRate = parameters.sampleRate
            channelCount = parameters.channelCount
        case .subtitle, .data, .attachment: break
        }
    }
}

extension InputStream {
    init?(_ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>) {
        guard let parameters = try? CodecParameters(copying: stream.pointee.codecpar) else { return nil }
        self.init(info: StreamInfo(context, stream, parameters), parameters: parameters)
        attachedPicture = Array(
            UnsafeBufferPointer(
                start: stream.pointee.attached_pic.data, count: Int(stream.pointee.attached_pic.size)))
    }
}

extension StreamInfo {
    fileprivate init(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: CodecParameters
    ) {
        self.init(
            index: Int(stream.pointee.index), parameters, timeBase: Rational(stream.pointee.time_base))
        startTime = timestamp(stream.pointee.start_time)
        duration = timestamp(stream.pointee.duration)
        frameCount = Int(stream.pointee.nb_frames)
        averageFrameRate = Rational(vtx_stream_average_frame_rate(context, stream))
        realFrameRate = Rational(vtx_stream_real_frame_rate(context, stream))
        sampleAspectRatio = Rational(av_guess_sample_aspect_ratio(context, stream, nil))
        disposition = Disposition(rawValue: stream.pointee.disposition)
        metadata = readDictionary(stream.pointee.metadata)
        displayMatrix = stream.sideData(AV_PKT_DATA_DISPLAYMATRIX, atLeast: 36).map(DisplayMatrix.init(bytes:))
        hdrMetadata = stream.hdrMetadata
        sideDataKinds = stream.sideDataNames
        dolbyVision = stream.dolbyVision
        projection = VideoProjection(
            spherical: stream.bytes(of: AV_PKT_DATA_SPHERICAL), stereo: stream.bytes(of: AV_PKT_DATA_STEREO3D))
        wrapBits = Int(stream.pointee.pts_wrap_bits)
    }
}

extension UnsafeMutablePointer<AVStream> {
    fileprivate func sideData(_ type: AVPacketSideDataType, atLeast size: Int) -> UnsafePointer<UInt8>? {
        var found = 0
        let data = vtx_stream_side_data(self, type, &found)
        return found >= size ? data : nil
    }

    fileprivate func bytes(of type: AVPacketSideDataType) -> [UInt8] {
        var count = 0
        let data = vtx_stream_side_data(self, type, &count)
        return Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : count))
    }

    fileprivate var hdrMetadata: HDRMetadata {
        HDRMetadata(
            masteringDisplay: sideData(
                AV_PKT_DATA_MASTERING_DISPLAY_METADATA, atLeast: MemoryLayout<AVMasteringDisplayMetadata>.size
            ).flatMap(MasteringDisplay.init(bytes:)),
            contentLightLevel: sideData(
                AV_PKT_DATA_CONTENT_LIGHT_LEVEL, atLeast: MemoryLayout<AVContentLightMetadata>.size
            ).flatMap(ContentLightLevel.init(bytes:)))
    }

    fileprivate var dolbyVision: DolbyVision? {
        let size = MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
        return sideData(AV_PKT_DATA_DOVI_CONF, atLeast: size).map { record in
            record.withMemoryRebound(to: AVDOVIDecoderConfigurationRecord.self, capacity: 1) {
                DolbyVision(
                    profile: Int($0.pointee.dv_profile),
                    compatibility: Int($0.pointee.dv_bl_signal_compatibility_id), level: Int($0.pointee.dv_level))
            }
        }
    }

    fileprivate var sideDataNames: [String] {
        [
            AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_ICC_PROFILE,
            AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        ]
        .filter { sideData($0, atLeast: 1) != nil }
        .compactMap { String(optional: av_packet_side_data_name($0)) }
    }
}

/// A program of a transport stream (C: `AVProgram`).
package struct Program: Sendable, Hashable {
    /// The indices of its streams.
    package var streams: Set<Int>
    /// Its name and provider (`service_name`, `service_provider`).
    package var metadata: [MetadataEntry]

    static func all(of context: UnsafeMutablePointer<AVFormatContext>) -> [Program] {
        (0..<Int(context.pointee.nb_programs)).compactMap { index in
            guard let program = context.pointee.programs[index]?.pointee else { return nil }
            let indices = UnsafeBufferPointer(start: program.stream_index, count: Int(program.nb_stream_indexes))
            return Program(streams: Set(indices.map { Int($0) }), metadata: readDictionary(program.metadata))
        }
    }
}

extension Chapter {
    static func all(of context: UnsafeMutablePointer<AVFormatContext>) -> [Chapter] {
        (0..<Int(context.pointee.nb_chapters)).compactMap { index in
            guard let chapter = context.pointee.chapters[index]?.pointee, let start = timestamp(chapter.start)
            else { return nil }
            let timeBase = Rational(chapter.time_base)
            return Chapter(
                id: Int64(chapter.id), start: MediaTime(start, timeBase),
                end: MediaTime(timestamp(chapter.end) ?? start, timeBase), metadata: readDictionary(chapter.metadata))
        }
    }
}
