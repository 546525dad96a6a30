import VTXJSON
import VTXJobs
import VTXTask

/// The progress of a job.
package struct JobProgress: Sendable, Hashable {
    /// `transcoding`, `finishing` or `verifying`.
    package var phase: String
    package var frames: Int
    package var totalFrames: Int?
    package var percent: Double?
    package var fps: Double?
    /// In seconds of video per second.
    package var speed: Double?
    package var etaSeconds: Double?
    package var bytes: Int64
    /// The encoded duration of the output, in seconds.
    package var seconds: Double?
}

/// The bytes per second of an output, from its worker's progress.
struct BitHistory: Sendable, Hashable {
    private var meter = BitRateMeter()
    private var (bytes, seconds) = (Int64(0), 0.0)

    mutating func note(_ progress: JobProgress) {
        guard let now = progress.seconds else { return }
        // Another attempt, which may have less than the one before it.
        if now < seconds || progress.bytes < bytes { self = BitHistory() }
        // Encoders give out nothing for a while: what comes then is of that time as well.
        guard now > seconds, progress.bytes > bytes else { return }
        meter.note(byteCount: Int(progress.bytes - bytes), from: seconds, to: now)
        (bytes, seconds) = (progress.bytes, now)
    }

    var rates: BitRates? { meter.rates }
}

/// A position in the records of one attempt. Everything before it has been taken.
package struct RecordPosition: Sendable, Hashable {
    /// The name in the job's work directory.
    package var file: String
    package var bytes: Int64
}

extension JobProgress {
    /// - Parameter record: `progress` of `vtx transcode --json`, or the output of `json`.
    init(_ record: JSONValue) {
        self.init(
            phase: record["phase"]?.string ?? "", frames: record["frame"]?.integer.map { Int($0) } ?? 0,
            totalFrames: record["totalFrames"]?.integer.map { Int($0) }, percent: record["percent"]?.number,
            fps: record["fps"]?.number, speed: record["speed"]?.number, etaSeconds: record["etaSeconds"]?.number,
            bytes: record["bytes"]?.integer ?? 0,
            seconds: record["outTimeMicroseconds"]?.number.map { $0 / 1_000_000 })
    }

    var json: JSONValue {
        .members([
            "phase": .string(phase), "frame": .integer(Int64(frames)),
            "totalFrames": totalFrames.map { .integer(Int64($0)) } ?? .null,
            "percent": percent.map { .number($0) } ?? .null,
            "fps": fps.map { .number($0) } ?? .null, "speed": speed.map { .number($0) } ?? .null,
            "etaSeconds": etaSeconds.map { .number($0) } ?? .null, "bytes": .integer(bytes),
        ])
    }

    func event(of job: JobID, at time: Timestamp) -> LoggedEvent {
        var members = json.object ?? [:]
        members["type"] = "progress"
        members["job"] = .string(job.text)
        return LoggedEvent("progress", of: job, at: time, body: JSONValue.object(members).text)
    }
}
