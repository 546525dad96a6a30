import VTXMedia
import VTXSession
import VTXTask

// What a request forbids: then it is an error, not a notice.
extension Planner {
    /// - Throws: for the first notice of a kind that the request allows none of.
    static func check(_ notices: [Notice], against request: TranscodeRequest) throws(TranscodeError) {
        if request.forbidsDowngrades {
            try forbid(
                notices.filter { $0.category == .downgrade },
                hint: "\(option: .failOnDowngrade) forbids this; the plan lists them all")
        }
        if request.forbidsFallbacks {
            try forbid(notices.filter(\.isSoftwareInPlaceOfHardware), hint: .forbiddenFallback)
        }
    }

    /// Where no GPU encodes the codec, nothing falls back, and yet software does what a GPU was to do.
    static func checkHardware(
        _ encoder: CapabilityMatrix, of plan: TranscodePlan, against request: TranscodeRequest
    ) throws(TranscodeError) {
        guard request.forbidsFallbacks, !encoder.isHardware else { return }
        let reason = plan.decisions.first { $0.subject == "device" }?.reason
        throw TranscodeError(
            forbidding: Notice(.fallbackDevice, "software would encode: \(reason ?? "there is no GPU")"),
            hint: .forbiddenFallback)
    }

    private static func forbid(_ notices: [Notice], hint: Message) throws(TranscodeError) {
        guard var first = notices.first else { return }
        if notices.count > 1 { first.message += " (and \(notices.count - 1) more)" }
        throw TranscodeError(forbidding: first, hint: hint)
    }
}

extension Notice {
    /// Another rate control is a fallback too, but on the GPU.
    fileprivate var isSoftwareInPlaceOfHardware: Bool { category == .fallback && kind != .fallbackRateControl }
}
