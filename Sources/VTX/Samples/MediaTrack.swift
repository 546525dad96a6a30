import VTXFFmpeg
public import VTXMedia

/// A track of a file that a ``SampleReader`` has opened (AVFoundation: `AVAssetTrack`).
public struct MediaTrack: Sendable, Identifiable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case video
        case audio
        case subtitle
        case data
        /// Files that go along, such as fonts and cover pictures.
        case attachment
    }

    /// Its place in the file, from 0 (`trackID`).
    public var id: Int { stream.index }
    public let kind: Kind
    /// Of H.264, HEVC and AV1 with their parameter sets; nil for other codecs, and where the first samples have to tell it
    /// (`formatDescriptions`).
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
    /// By libavcodec's name: `h264`, `aac`, `subrip`.
    public var codecName: String { stream.codecName }
    /// nil for codecs that vtx does not encode.
    public var codec: VideoCodec? { kind == .video ? VideoCodec(rawValue: codecName) : nil }
    /// Of video, in pixels, before it is turned (`naturalSize`); nil elsewhere.
    public var size: PixelSize? { stream.kind == .video ? stream.size : nil }
    /// Bits of a sample of video; nil where nothing says so, and elsewhere.
    public var bitDepth: Int? { stream.kind == .video ? stream.pixelFormat?.bitDepth : nil }
    /// The shape of a sample; 0/1 where nothing says so.
    public var pixelAspectRatio: Rational { stream.sampleAspectRatio }
    /// How players turn the pictures (`preferredTransform`); nil for as they are.
    public var displayMatrix: DisplayMatrix? { stream.displayMatrix }
    /// The turn that ``displayMatrix`` asks for; ``PixelRotationSession`` does it.
    public var orientation: DisplayMatrix.Orientation { stream.displayMatrix?.orientation ?? .upright }
    /// The unit in which its times count, in seconds (`naturalTimeScale`).
    public var timeBase: Rational { stream.timeBase }
    /// When its first sample is shown; nil where the container does not say.
    public var startTime: MediaTime? { stream.startTime.map { MediaTime($0, timeBase) } }
    /// What the container says, which may be wrong; nil where it says nothing.
    public var duration: MediaTime? { stream.duration.map { MediaTime($0, timeBase) } }
    /// The average, in frames a second (`nominalFrameRate`); nil where it is not known, and for what is not video.
    public var frameRate: Rational? {
        guard kind == .video else { return nil }
        // Of a file without an index, libavformat may take the unit of its times for the rate.
        return [stream.averageFrameRate, formatDescription?.frameRate].compactMap(\.self).first {
            $0.isPositive && $0.value <= 480
        }
    }
    /// By ISO 639-2's code, `eng`; nil where the container does not say (`languageCode`).
    public var language: String? { stream.language == "und" ? nil : stream.language }
    /// What the samples of video mean, as far as the container or the stream says it.
    public var color: ColorDescription { stream.color }
    /// Of HDR10.
    public var hdrMetadata: HDRMetadata { stream.hdrMetadata }
    /// Of audio, in Hz; nil elsewhere.
    public var sampleRate: Int? { stream.sampleRate > 0 ? stream.sampleRate : nil }
    /// Of audio; nil elsewhere.
    public var channelCount: Int? { stream.channelCount > 0 ? stream.channelCount : nil }
    /// Bits per second (`estimatedDataRate`); nil where it is not known.
    public var bitrate: Int? { stream.bitrate > 0 ? stream.bitrate : nil }
}

extension MediaTrack: CustomStringConvertible {
    /// `video stream 0 (h264)`.
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
