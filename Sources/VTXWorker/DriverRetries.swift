import VTXMedia
import VTXTask

/// Decides what a job does without after a driver ended its worker, by the rules that recovery within a process has: the
/// device is tried once more, and again whenever it has proven itself since; then the stage that failed loses it. Pure.
struct DriverRetries: Sendable {
    private var losses = DeviceLosses()
    private var sessions: [DeviceID: Int] = [:]
    /// The number of frames that a worker has reached.
    private var reached = 0

    /// - Parameters:
    ///   - frames: The number of frames of the output when the worker ended, whichever GPU encoded them.
    ///   - mayRetry: Whether another worker may continue with the same device.
    mutating func evaluate(_ failure: DriverFailure, frames: Int, mayRetry: Bool) -> DriverFailure {
        guard let device = failure.device, !failure.isWhileAsked else { return failure }
        var failure = failure
        noteLoss(device, frames)
        let isLastSession = sessions[device, default: 0] >= DeviceLosses.maxSessions
        failure.isRetried = mayRetry && !isLastSession && !losses.isRefused(device)
        if failure.isRetried || isLastSession { failure.stage = nil }
        return failure
    }

    /// Frames that an earlier worker had encoded already prove nothing: without a limit in a row, each worker could fail
    /// at the same frame. A hang costs its timeout each time, so that a device has no more sessions than that either.
    private mutating func noteLoss(_ device: DeviceID, _ frames: Int) {
        if frames >= reached + DeviceLosses.provingCount { losses.noteOutput(device) }
        reached = max(reached, frames)
        losses.noteLoss(device)
        sessions[device, default: 0] += 1
    }
}
