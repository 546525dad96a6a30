import VTXMedia
import VTXTask

@testable import VTXTranscode

/// For plans with encoded video.
extension VideoPlan {
    var encoder: EncoderConfiguration {
        get { encoded.encoder }
        set { encoding?.encoder = newValue }
    }
    var filter: FilterConfiguration { encoded.filter }
    var device: DeviceID { encoded.device }
    var codec: VideoCodec { encoded.codec }

    fileprivate var encoded: VideoEncoding {
        guard let encoding else { fatalError("the video is copied") }
        return encoding
    }
}

extension PreparedTranscode {
    var stages: OpenedStages {
        get {
            guard let encoding else { fatalError("the video is copied") }
            return encoding.stages
        }
        set { encoding?.stages = newValue }
    }
    var sessions: StageSessions { stages.sessions }
}
