import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// The descriptions of the streams for the container.
enum StreamDescriptions {
    static func encoded(
        _ plan: TranscodePlan, _ encoding: VideoEncoding, _ parameters: CodecParameters
    ) -> OutputStreamDescription {
        let (video, encoder) = (plan.video, encoding.encoder)
        var description =
            plan.videoStream.map { common(plan, $0, parameters, encoder.timeBase) }
            ?? OutputStreamDescription(parameters: parameters, timeBase: encoder.timeBase)
        if encoder.codec == .hevc { description.codecTag = hevcTag(plan) }
        description.frameRate = video.constantFrameRate ?? encoder.frameRate
        description.sampleAspectRatio = encoder.sampleAspectRatio
        description.color = encoder.color
        description.displayMatrix = video.displayMatrix
        description.projection = video.projection
        description.hdrMetadata = encoder.hdrMetadata
        description.dolbyVision = encoding.dolbyVision
        return description
    }

    static func copy(
        _ plan: TranscodePlan, _ planned: StreamPlan, _ stream: InputStream, _ source: Source
    ) throws(FFmpegError) -> OutputStreamDescription {
        var parameters = stream.parameters
        if plan.hasAudioConfigurations, let record = source.audioSpecificConfig(of: stream) {
            parameters = try CodecParameters(parameters, extradata: record)
        }
        var description = common(plan, planned, parameters, stream.timeBase)
        description.sideDataSource = source.origin(of: stream)
        description.frameRate = stream.kind == .video ? stream.averageFrameRate : Rational(0, 1)
        description.sampleAspectRatio = stream.sampleAspectRatio
        if stream.codecName == "hevc" { description.codecTag = hevcTag(plan) }
        // Data streams are known by their tag alone.
        if stream.kind == .data { description.codecTag = stream.codecTag }
        return description
    }

    /// Returns cover art for containers that store it as an attachment (Matroska's `cover.jpg`).
    static func attachment(
        _ plan: TranscodePlan, _ planned: StreamPlan, _ picture: InputStream
    ) throws(FFmpegError) -> OutputStreamDescription {
        let codec = picture.codecName
        let parameters = try CodecParameters(attachment: picture.attachedPicture, codecName: codec)
        var description = common(plan, planned, parameters, picture.timeBase)
        description.disposition = []
        let isJPEG = codec == "mjpeg"
        description.metadata =
            description.metadata.filter { $0.key != "filename" && $0.key != "mimetype" } + [
                MetadataEntry("filename", picture.metadata["filename"] ?? (isJPEG ? "cover.jpg" : "cover.png")),
                MetadataEntry("mimetype", isJPEG ? "image/jpeg" : "image/png"),
            ]
        return description
    }

    /// Returns a converted stream: its new codec parameters with the source's metadata and disposition.
    static func converted(
        _ plan: TranscodePlan, _ stream: StreamPlan, _ parameters: CodecParameters, _ timeBase: Rational
    ) -> OutputStreamDescription {
        common(plan, stream, parameters, timeBase)
    }

    /// `hvc1`: parameter sets in the header only, the only form that Apple's players accept.
    private static func hevcTag(_ plan: TranscodePlan) -> UInt32 {
        plan.container == .mp4 || plan.container == .mov ? OutputStreamDescription.tag("hvc1") : 0
    }

    private static func common(
        _ plan: TranscodePlan, _ stream: StreamPlan, _ parameters: CodecParameters, _ timeBase: Rational
    ) -> OutputStreamDescription {
        var description = OutputStreamDescription(parameters: parameters, timeBase: timeBase)
        description.disposition = stream.source.disposition
        description.metadata = MetadataChoice.streamMetadata(stream, in: plan.container).map {
            $0.moved(by: plan.timestamps, plan.video.source)
        }
        return description
    }
}

extension OutputStreamDescription {
    /// Returns the sample entry for parameter sets in samples (ISO 14496-15 5.4.2, 8.4.1).
    func withParameterSetsInSamples(_ plan: TranscodePlan) -> OutputStreamDescription {
        guard plan.container == .mp4 || plan.container == .mov else { return self }
        var description = self
        description.codecTag = Self.tag(plan.video.encoding?.codec == .hevc ? "hev1" : "avc3")
        return description
    }
}
