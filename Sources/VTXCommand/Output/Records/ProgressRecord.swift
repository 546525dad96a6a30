import VTXTranscode

/// How far the transcode is. What the source does not tell is left out.
struct ProgressRecord: Record {
    let type = "progress"
    let phase: String
    let frame: Int
    let totalFrames: Int?
    let fps: Double
    let bytes: Int64
    let outTimeMicroseconds: Int64
    let speed: Double
    let percent: Double?
    let etaSeconds: Double?
    let elapsedSeconds: Double

    init(_ progress: Progress) {
        phase = progress.phase.rawValue
        frame = progress.frames
        totalFrames = progress.totalFrames
        fps = progress.framesPerSecond.thousandths
        bytes = progress.bytes
        outTimeMicroseconds = Int64(exactly: (progress.seconds * 1_000_000).rounded()) ?? 0
        speed = progress.speed.thousandths
        percent = progress.fraction.map { ($0 * 100).thousandths }
        etaSeconds = progress.remainingSeconds?.thousandths
        elapsedSeconds = progress.elapsedSeconds.thousandths
    }
}
