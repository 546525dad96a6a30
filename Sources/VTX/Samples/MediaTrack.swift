import VTXFFmpeg
public import VTXMedia

/// A track of a file that a ``SampleReader`` has opened (AVFoundation: `AVAssetTrack`).
public struct MediaTrack: Sendable, Identifiable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case video
        case audio
        case subtitle
        case data
        /// An attached file, such as a font or cover art.
        case attachment
    }

    /// The index of the track in the file, from 0 (`trackID`).
    public var id: Int { stream.index }
    public let kind: Kind
    /// The parameter sets of an H.264, HEVC or AV1 track (`formatDescriptions`). nil for other codecs, and if only the
    /// first samples contain the parameter sets.
    public let formatDescription: FormatDescription?
    let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
        kind = Kind(stream.info.countedKind)
        formatDescription =
            kind != .video
            ? nil
            : VideoCodec(rawValue: stream.codecName).flatMap {
                try? FormatDescription(codec: $0, extradata: stream.parameters.extradata)
            }
    }
}

extension MediaTrack {
    /// The libavcodec name of the codec: `h264`, `aac`, `subrip`.
    public var codecName: String { stream.codecName }
    /// The codec; nil for codecs that vtx does not encode.
    public var codec: VideoCodec? { kind == .video ? VideoCodec(rawValue: codecName) : nil }
    /// The size of the video, in pixels, before rotation (`naturalSize`); nil for other tracks.
    public var size: PixelSize? { stream.kind == .video ? stream.size : nil }
    /// The bit depth of the video; nil if unknown, and for other tracks.
    public var bitDepth: Int? { stream.kind == .video ? stream.pixelFormat?.bitDepth : nil }
    /// The sample aspect ratio; 0/1 if unspecified.
    public var pixelAspectRatio: Rational { stream.sampleAspectRatio }
    /// The transformation that players apply to the video (`preferredTransform`); nil for none.
    public var displayMatrix: DisplayMatrix? { stream.displayMatrix }
    /// The rotation and flip of the ``displayMatrix``. ``PixelRotationSession`` applies it.
    public var orientation: DisplayMatrix.Orientation { stream.displayMatrix?.orientation ?? .upright }
    /// The unit of the track's timestamps, in seconds (`naturalTimeScale`).
    public var timeBase: Rational { stream.timeBase }
    /// The presentation time of the first sample; nil if the container does not declare it.
    public var startTime: MediaTime? { stream.startTime.map { MediaTime($0, timeBase) } }
    /// The duration that the container declares, which may be wrong; nil if it declares none.
    public var duration: MediaTime? { stream.duration.map { MediaTime($0, timeBase) } }
    /// The average frame rate, in frames per second (`nominalFrameRate`); nil if unknown, and for tracks other than
    /// video.
    public var frameRate: Rational? {
        guard kind == .video else { return nil }
        // Of a file without an index, libavformat may take the unit of its times for the rate.
        return [stream.averageFrameRate, formatDescription?.frameRate].compactMap(\.self).first {
            $0.isPositive && $0.value <= 480
        }
    }
    /// The ISO 639-2 language code: `eng`; nil if the container does not declare it (`languageCode`).
    public var language: String? { stream.language == "und" ? nil : stream.language }
    /// The color description of the video, as far as the container or the stream declares it.
    public var color: ColorDescription { stream.color }
    /// The static metadata of HDR10.
    public var hdrMetadata: HDRMetadata { stream.hdrMetadata }
    /// The sample rate of the audio, in Hz; nil for other tracks.
    public var sampleRate: Int? { stream.sampleRate > 0 ? stream.sampleRate : nil }
    /// The number of audio channels; nil for other tracks.
    public var channelCount: Int? { stream.channelCount > 0 ? stream.channelCount : nil }
    /// The bit rate, in bits per second (`estimatedDataRate`); nil if unknown.
    public var bitrate: Int? { stream.bitrate > 0 ? stream.bitrate : nil }
}

extension MediaTrack: CustomStringConvertible {
    /// The kind, index and codec: `video stream 0 (h264)`.
    public var description: String { stream.label }
}

extension MediaTrack.Kind {
    fileprivate init(_ kind: StreamKind) {
        switch kind {
        case .video: self = .video
        case .audio: self = .audio
        case .subtitle: self = .subtitle
        case .data: self = .data
        case .attachment: self = .attachment
        }
    }
}
