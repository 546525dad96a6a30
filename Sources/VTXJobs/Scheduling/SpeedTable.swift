/// How many seconds of an engine a megapixel takes: what was measured on this device, else a guess.
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
    /// What a new measurement counts: one odd clip must not turn the table over.
    private static let weight = 0.3

    package init() {}

    package var rows: [Key: Double] { measured }

    package func secondsPerMegapixel(_ key: Key) -> Double { measured[key] ?? Self.guess(key) }

    /// Before anything was measured. GPUs: about 250 frames of 1080p a second; a core: x264 and x265 at `medium`.
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
    ///   - frames: what was really done.
    ///   - seconds: of each engine, as the kernel counted them. What stages share an engine share the difference.
    package mutating func learn(_ demand: Demand, frames: Int, seconds: [EngineID: Double]) {
        for (engine, real) in seconds where real > 0 && frames > 0 {
            let parts = demand.parts.filter { $0.engine == engine }
            let expected = parts.reduce(0) { $0 + $1.secondsPerFrame } * Double(frames)
            guard expected > 0 else { continue }
            for part in parts {
                let old = secondsPerMegapixel(part.key)
                measured[part.key] = old * (1 - Self.weight + Self.weight * real / expected)
            }
        }
    }
}
