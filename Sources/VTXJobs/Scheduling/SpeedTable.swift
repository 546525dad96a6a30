/// How many seconds of an engine a megapixel takes, measured on this device or estimated.
package struct SpeedTable: Sendable, Hashable, Codable {
    package struct Key: Sendable, Hashable, Codable {
        package var device: DeviceName
        package var stage: Stage
        package var kind: String

        package init(_ device: DeviceName, _ stage: Stage, _ kind: String) {
            (self.device, self.stage, self.kind) = (device, stage, kind)
        }
    }

    private var measured: [Key: Double] = [:]
    /// The weight of a new measurement, so that one unusual clip does not dominate.
    private static let weight = 0.3

    package init() {}

    package var rows: [Key: Double] { measured }

    package func secondsPerMegapixel(_ key: Key) -> Double { measured[key] ?? Self.guess(key) }

    /// Returns an estimate before anything was measured. GPUs: about 250 frames per second at 1080p; a core: x264 and
    /// x265 at `medium`.
    private static func guess(_ key: Key) -> Double {
        switch (key.device == .cpu, key.stage) {
        case (true, .decode): 0.002
        case (true, .process): 0.002
        case (true, .encode): key.kind == "h264" ? 0.02 : 0.06
        case (false, .decode): 0.001
        case (false, .process): 0.0005
        case (false, .encode): 0.002
        }
    }

    /// Learns from a job that has ended.
    ///
    /// - Parameters:
    ///   - frames: The number of processed frames.
    ///   - seconds: The time of each engine, as counted by the kernel. Stages that share an engine share the
    ///     difference.
    package mutating func learn(_ demand: Demand, frames: Int, seconds: [EngineID: Double]) {
        for (engine, real) in seconds where real > 0 && frames > 0 {
            let stages = Self.stages(ofEngine: engine.engine)
            let parts = demand.parts.filter {
                $0.engine == engine || $0.engine.device == engine.device && stages.contains($0.key.stage)
            }
            let expected = parts.reduce(0) { $0 + $1.secondsPerFrame } * Double(frames)
            guard expected > 0 else { continue }
            for part in parts {
                let old = secondsPerMegapixel(part.key)
                measured[part.key] = old * (1 - Self.weight + Self.weight * real / expected)
            }
        }
    }

    /// Returns the stages of an engine by the kernel's name: i915, xe and amdgpu, in this order.
    private static func stages(ofEngine name: String) -> Set<Stage> {
        switch name {
        case "video", "vcs": [.decode, .encode]
        case "enc": [.encode]
        case "dec": [.decode]
        case "video-enhance", "vecs", "gfx": [.process]
        default: []
        }
    }
}
