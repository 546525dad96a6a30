import Glibc
import VTXMedia
import VTXTranscode

extension Supervisor {
    static let patienceVariable = "VTX_GPU_TIMEOUT"
    /// A GPU's own reset takes a few seconds, and drivers wait for it.
    static let defaultPatience = 30.0

    /// The supervisor for this request; nil where this process does the work itself: no driver will be loaded, or
    /// this process is the worker.
    static func live(for request: TranscodeRequest) throws(TranscodeError) -> Supervisor? {
        guard WorkerLink.own == nil, request.hardware != .off, DirectoryListing.hasRenderNode else { return nil }
        return Supervisor(
            launch: .same(with: CommandLine.arguments), beginsWithDouble: true, secondRun: secondRun(for: request),
            patience: try patience(getenv(patienceVariable).map { String(cString: $0) }))
    }

    static func secondRun(for request: TranscodeRequest) -> Supervision.SecondRun {
        if request.hardware == .require { return .forbidden }
        return request.forbidsFallbacks ? .fallback : .allowed
    }

    /// - Parameter text: seconds; 0 is for ever.
    static func patience(_ text: String?) throws(TranscodeError) -> Double? {
        guard let text, !text.isEmpty else { return defaultPatience }
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
            throw TranscodeError(
                .usage, "usage.environment", "\(patienceVariable): '\(text)' is no number of seconds",
                hint: "such as 30, or 0 to wait for ever")
        }
        return seconds == 0 ? nil : seconds
    }
}
