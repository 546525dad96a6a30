/// What a job costs, as far as its source and what is asked say it.
package struct Workload: Sendable, Hashable, Codable {
    /// One stage's part of it.
    package struct Work: Sendable, Hashable, Codable {
        /// What has to be able to do it: a codec, or `scale`.
        package var kind: String
        /// Of one frame.
        package var megapixels: Double

        package init(_ kind: String, megapixels: Double) {
            self.kind = kind
            self.megapixels = megapixels
        }
    }

    package var stages: [Stage: Work]
    /// Of the source, in frames per second: what a real-time job has to keep up with.
    package var frameRate: Double
    /// As far as known.
    package var frames: Int?
    /// Whether the request leaves it to software, to GPUs, and to which.
    package var allowsSoftware: Bool
    package var allowsHardware: Bool
    package var devices: Set<DeviceName>?
    /// What the output is called where the job does not say.
    package var outputName: String?
    /// What each segment costs, where other jobs encode them and this one joins them.
    package var segments: [Workload]?

    package init(
        stages: [Stage: Work], frameRate: Double, frames: Int? = nil, allowsSoftware: Bool = true,
        allowsHardware: Bool = true, devices: Set<DeviceName>? = nil, outputName: String? = nil
    ) {
        self.stages = stages
        self.frameRate = frameRate
        self.frames = frames
        self.allowsSoftware = allowsSoftware
        self.allowsHardware = allowsHardware
        self.devices = devices
        self.outputName = outputName
    }
}
