public import VTXMedia

/// What became of a frame (VideoToolbox: the arguments of `VTCompressionOutputCallback`).
public struct CompressionOutput: Sendable {
    public enum Status: Sendable {
        case encoded(Sample)
        /// Left out, because a data-rate limit or too many waiting frames forbade it (`kVTEncodeInfo_FrameDropped`).
        case dropped
        case failed(SessionError)
    }

    public var presentationTime: MediaTime
    public var duration: MediaTime?
    public var status: Status

    /// nil for a frame that was dropped, or failed.
    public var sample: Sample? {
        if case .encoded(let sample) = status { sample } else { nil }
    }

    public var error: SessionError? {
        if case .failed(let error) = status { error } else { nil }
    }

    public var isDropped: Bool {
        if case .dropped = status { true } else { false }
    }
}

/// What is wanted of one frame (VideoToolbox: `frameProperties`).
public struct FrameOptions: Sendable, Hashable {
    /// This frame becomes an IDR picture (`kVTEncodeFrameOptionKey_ForceKeyFrame`).
    public var forcesKeyFrame: Bool

    public init(forcesKeyFrame: Bool = false) { self.forcesKeyFrame = forcesKeyFrame }

    public static let keyFrame = FrameOptions(forcesKeyFrame: true)
}
