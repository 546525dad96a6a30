package import VTXSystem

/// The cost of a job, as far as its source and its request determine it.
package struct Workload: Sendable, Hashable, Codable {
    /// The cost of one stage.
    package struct Work: Sendable, Hashable, Codable {
        /// The required ability: a codec, or `scale`.
        package var kind: String
        /// Megapixels per frame.
        package var megapixels: Double

        package init(_ kind: String, megapixels: Double) {
            self.kind = kind
            self.megapixels = megapixels
        }
    }

    package var stages: [Stage: Work]
    /// The source's frame rate, with which a real-time job must keep up.
    package var frameRate: Double
    /// nil if unknown.
    package var frames: Int?
    /// Whether the request allows software, GPUs, and which of them.
    package var allowsSoftware: Bool
    package var allowsHardware: Bool
    package var devices: Set<DeviceName>?
    /// The default name of the output.
    package var outputName: String?
    /// The path of the output without symbolic links; nil if no other job can have the same.
    package var outputPath: String?
    /// The source as it was planned, if the output replaces it.
    package var replacedSource: ReplacedFile?
    /// The file that an output replaces.
    package struct ReplacedFile: Sendable, Hashable, Codable {
        /// The path without symbolic links.
        package var path: String
        package var state: SourceState

        package init(path: String, state: SourceState) { (self.path, self.state) = (path, state) }
    }

    /// The cost of each segment, if other jobs encode them and this one joins them.
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
