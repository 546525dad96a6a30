import Glibc
import VTX
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

extension Supervisor {
    static let timeoutVariable = "VTX_GPU_TIMEOUT"
    /// A GPU's own reset takes a few seconds, and drivers wait for it.
    static let defaultTimeout = 30.0

    /// The supervisor for this request; nil where this process does the work itself: no driver will be loaded, or
    /// this process is the worker.
    static func live(for request: TranscodeRequest) throws(TranscodeError) -> Supervisor? {
        guard WorkerLink.own == nil, request.hardware != .off, RenderNodes.exist else { return nil }
        return Supervisor(
            launch: .same(with: CommandLine.arguments), beginsWithDouble: true, secondRun: secondRun(for: request),
            timeout: try timeout(getenv(timeoutVariable).map { String(cString: $0) }), remember: DriverMemory.note)
    }

    static func secondRun(for request: TranscodeRequest) -> Supervision.SecondRun {
        if request.hardware == .require { return .forbidden }
        return request.forbidsFallbacks ? .fallback : .allowed
    }

    /// - Parameter text: seconds; 0 is for ever.
    static func timeout(_ text: String?) throws(TranscodeError) -> Double? {
        guard let text, !text.isEmpty else { return defaultTimeout }
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
            throw TranscodeError(
                .environment, "\(timeoutVariable): '\(text)' is no number of seconds",
                hint: "such as 30, or 0 to wait for ever")
        }
        return seconds == 0 ? nil : seconds
    }
}

enum RenderNodes {
    /// Whether there is a GPU that might be asked; no driver is loaded for that.
    static var exist: Bool { Directory.names(in: "/dev/dri").contains { $0.hasPrefix("renderD") } }
}
