public import VTXMedia

/// A coded sample of any track: a video frame, or a packet of audio or subtitles (CoreMedia: `CMSampleBuffer`).
public struct TrackSample: Sendable {
    /// The ``MediaTrack/id`` of the track.
    public var track: Int
    /// The coded data as in the container. For H.264 and HEVC, each NAL unit has a length prefix, whatever the
    /// container. A sample from a reader refers to the container's bytes; this property copies them on each access.
    public var data: [UInt8] {
        get { formatDescription.flatMap { try? content.lengthPrefixed($0) } ?? content.array }
        set { content = CodedData(newValue) }
    }
    /// The data as the encoder has written it, or the container stores it.
    var content: CodedData
    /// The presentation time, in the track's time base.
    public var presentationTime: MediaTime
    /// The decoding time. It increases from sample to sample, and is never later than `presentationTime`.
    public var decodingTime: MediaTime
    /// nil if unknown.
    public var duration: MediaTime?
    /// Whether decoding can begin at this sample.
    public var isKeyFrame: Bool
    /// Whether the sample is decoded but not presented; see ``Sample/isHidden``.
    public var isHidden = false
    /// The parameter sets of H.264, HEVC and AV1; nil for other codecs.
    public var formatDescription: FormatDescription?

    public init(
        track: Int, data: [UInt8], presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool = true, formatDescription: FormatDescription? = nil
    ) {
        self.init(
            track: track, CodedData(data), presentationTime: presentationTime, decodingTime: decodingTime,
            duration: duration, isKeyFrame: isKeyFrame, formatDescription: formatDescription)
    }

    init(
        track: Int, _ content: CodedData, presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime?,
        isKeyFrame: Bool, formatDescription: FormatDescription?
    ) {
        self.track = track
        self.content = content
        self.presentationTime = presentationTime
        self.decodingTime = decodingTime
        self.duration = duration
        self.isKeyFrame = isKeyFrame
        self.formatDescription = formatDescription
    }

    /// Creates a sample of a track from a session's sample.
    public init(_ sample: Sample, track: Int) {
        self.init(
            track: track, sample.content, presentationTime: sample.presentationTime,
            decodingTime: sample.decodingTime, duration: sample.duration, isKeyFrame: sample.isKeyFrame,
            formatDescription: sample.formatDescription)
        isHidden = sample.isHidden
    }

    /// The sample for a ``DecompressionSession``; nil for codecs other than H.264, HEVC and AV1.
    public var sample: Sample? {
        guard let formatDescription else { return nil }
        var sample = Sample(
            content, presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
            isKeyFrame: isKeyFrame, formatDescription: formatDescription)
        sample.isHidden = isHidden
        return sample
    }
}
