public import VTXMedia

/// A coded sample of any track: a frame of video, a packet of audio or of subtitles (CoreMedia: `CMSampleBuffer`).
public struct TrackSample: Sendable {
    /// ``MediaTrack/id`` of its track.
    public var track: Int
    /// As the container holds it. H.264 and HEVC have a length before each NAL unit, whatever the container.
    public var data: [UInt8]
    /// In the unit of its track.
    public var presentationTime: MediaTime
    /// In the order of the track's samples, never later than `presentationTime`.
    public var decodingTime: MediaTime
    /// nil where it is not known.
    public var duration: MediaTime?
    /// Decoding can begin here.
    public var isKeyFrame: Bool
    /// It is there to be decoded, not to be shown or heard; see ``Sample/isHidden``.
    public var isHidden = false
    /// Of H.264, HEVC and AV1; nil elsewhere.
    public var formatDescription: FormatDescription?

    public init(
        track: Int, data: [UInt8], presentationTime: MediaTime, decodingTime: MediaTime, duration: MediaTime? = nil,
        isKeyFrame: Bool = true, formatDescription: FormatDescription? = nil
    ) {
        self.track = track
        self.data = data
        self.presentationTime = presentationTime
        self.decodingTime = decodingTime
        self.duration = duration
        self.isKeyFrame = isKeyFrame
        self.formatDescription = formatDescription
    }

    /// A session's sample, as one of a track.
    public init(_ sample: Sample, track: Int) {
        self.init(
            track: track, data: sample.data, presentationTime: sample.presentationTime,
            decodingTime: sample.decodingTime, duration: sample.duration, isKeyFrame: sample.isKeyFrame,
            formatDescription: sample.formatDescription)
        isHidden = sample.isHidden
    }

    /// What a ``DecompressionSession`` takes; nil for other codecs than H.264, HEVC and AV1.
    public var sample: Sample? {
        guard let formatDescription else { return nil }
        var sample = Sample(
            data: data, presentationTime: presentationTime, decodingTime: decodingTime, duration: duration,
            isKeyFrame: isKeyFrame, formatDescription: formatDescription)
        sample.isHidden = isHidden
        return sample
    }
}
