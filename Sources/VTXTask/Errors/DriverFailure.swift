package import VTXMedia

/// A driver failure that ended its process.
package struct DriverFailure: Sendable, Hashable, Codable {
    /// nil if no driver had been called yet.
    package var device: DeviceID?
    /// What happened, as a predicate: `aborted (SIGABRT) after 113 frames`.
    package var symptom: String
    package var isHang: Bool
    /// Whether there was no output yet, so that the driver fails for every job.
    package var isWhileAsked: Bool
    /// The codec of the output; nil if it was not decided yet.
    package var codec: VideoCodec?
    /// The stage that loses the device; nil if it is unknown which one, or if all of them do.
    package var stage: VideoStage?
    /// Whether the device is tried once more, at all stages.
    package var isRetried = false

    package init(
        device: DeviceID?, symptom: String, isHang: Bool, isWhileAsked: Bool, codec: VideoCodec? = nil,
        stage: VideoStage? = nil
    ) {
        self.device = device
        self.stage = stage
        self.symptom = symptom
        self.isHang = isHang
        self.isWhileAsked = isWhileAsked
        self.codec = codec
    }

    /// Whether the job continues without the device.
    package var excludesDevice: Bool { !isRetried && stage == nil }

    package func excludes(_ device: DeviceID, at stage: VideoStage) -> Bool {
        !isRetried && self.device == device && self.stage == stage
    }

    /// `the driver of /dev/dri/renderD128 aborted (SIGABRT) after 113 frames`. The device is not always known.
    package var description: String {
        device.map { "the driver of \($0.name) \(symptom)" } ?? "the GPU's driver \(symptom)"
    }

    /// What it means for the job.
    package var notice: Notice {
        if isRetried {
            return Notice(.hardwareRecovered, "\(description); the GPU is tried once more for the same output")
        }
        let extent = stage.map { " at the \($0.rawValue) stage" } ?? ""
        return Notice(.fallbackFault, "\(description); the job continues without it\(extent)")
    }

    /// The same if software does the stage.
    package func noticeOfSoftware(at stage: VideoStage) -> Notice {
        Notice(.fallbackFault, "\(description); software does the \(stage.rawValue) stage")
    }
}

extension [DriverFailure] {
    /// Whether no GPU may be used, because it is unknown which one failed.
    package var excludeAll: Bool { contains { $0.device == nil } }

    /// The failure to report for a job that had started: the last one of a GPU that had worked on it, even if that GPU
    /// was then being queried. A failure of any other GPU affects only that GPU.
    package var reported: DriverFailure? { last { $0.device.map(concernsJob) ?? true } }

    /// Whether the device failed at the job, not only while it was queried.
    package func concernsJob(_ device: DeviceID) -> Bool { contains { $0.device == device && !$0.isWhileAsked } }

    /// The device that is tried once more.
    package var retried: DeviceID? { reported.flatMap { $0.isRetried ? $0.device : nil } }

    /// The codec that an earlier worker had begun to write. It was reported to the user and does not change.
    package var codec: VideoCodec? { lazy.compactMap(\.codec).first }
}
