import VTXMedia
import VTXSession
package import VTXTask

// What a request forbids: then it is an error, not a notice.
extension Planner {
    /// - Throws: for the first notice of a kind that the request allows none of.
    static func check(_ notices: [Notice], against request: TranscodeRequest) throws(TranscodeError) {
        if request.forbidsDowngrades {
            try forbid(
                notices.filter { $0.kind == .downgrade }, .unsupported,
                hint: "--no-downgrade forbids this; --explain lists them all")
        }
        if request.forbidsFallbacks {
            try forbid(notices.filter(\.isSoftwareInPlaceOfHardware), .fallback, hint: fallbackHint)
        }
    }

    /// Where no GPU encodes the codec, nothing falls back, and yet software does what a GPU was to do.
    static func check(
        _ sessions: StageSessions, of plan: TranscodePlan, against request: TranscodeRequest
    ) throws(TranscodeError) {
        guard request.forbidsFallbacks, !sessions.encoding.capabilities.isHardware else { return }
        let reason = plan.decisions.first { $0.subject == "device" }?.reason
        throw TranscodeError(
            .fallback, "fallback.device", "software would encode: \(reason ?? "there is no GPU")", hint: fallbackHint
        )
    }

    private static func forbid(_ notices: [Notice], _ exitCode: ExitCode, hint: String) throws(TranscodeError) {
        guard let first = notices.first else { return }
        let more = notices.count > 1 ? " (and \(notices.count - 1) more)" : ""
        throw TranscodeError(exitCode, first.code, first.message + more, hint: hint)
    }
}

private let fallbackHint = "--fail-on-fallback forbids this; vtx probe says what the GPUs here can do"

extension TranscodeError {
    /// A GPU that failed in the middle of a job that software must not take over.
    package static func forbiddenFallback(_ fault: String) -> TranscodeError {
        TranscodeError(.fallback, "fallback.fault", fault, hint: fallbackHint)
    }
}

extension Notice {
    /// Another rate control is a fallback too, but on the GPU.
    fileprivate var isSoftwareInPlaceOfHardware: Bool { kind == .fallback && code != "fallback.rateControl" }
}
