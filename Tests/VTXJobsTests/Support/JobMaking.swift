import VTXJSON
import VTXJobs

extension Job {
    /// A job with a readable id.
    static func named(
        _ name: String, at seconds: Double = 0, priority: Int = 0, tenant: String? = nil, realTime: Bool = false,
        settings: [String: JSONValue] = [:]
    ) -> Job {
        Job(
            id: .named(name),
            JobSpecification(
                input: .init(path: "/media/\(name).mp4"), settings: settings, priority: priority,
                labels: tenant.map { ["tenant": $0] } ?? [:], realTime: realTime),
            at: Timestamp(seconds: seconds))
    }

    /// Applies a transition that must be allowed.
    mutating func does(_ events: JobEvent..., at seconds: Double = 0) -> [JobAction] {
        events.flatMap { event in (try? handle(event, at: Timestamp(seconds: seconds))) ?? [] }
    }
}

extension JobID {
    static func named(_ name: String) -> JobID {
        JobID(name + String(repeating: "0", count: JobID.length - name.count))!
    }
}

extension Workload {
    /// HEVC of 1080p H.264.
    static let clip = Workload(
        stages: [
            .decode: .init("h264", megapixels: 2.07), .encode: .init("hevc", megapixels: 2.07),
        ], frameRate: 25, frames: 1000)
}

extension Failure {
    static func device(_ name: String, _ code: String = "device.failed") -> Failure {
        Failure(.device, code, "it failed", device: DeviceName(name))
    }
}

extension JobResult {
    static let good = JobResult(
        output: "/media/out.mp4", outputBytes: 10, sourceBytes: 20, frames: 1000, duration: 40, seconds: 4)
}

extension Device {
    static func gpu(_ name: String) -> Device {
        .gpu(
            DeviceName(name),
            abilities: [.decode: ["h264", "hevc"], .process: ["scale"], .encode: ["h264", "hevc"]])
    }
}
