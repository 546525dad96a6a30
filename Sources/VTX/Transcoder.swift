import VTXSession
import VTXSoftware
package import VTXTask
import VTXTranscode
import VTXVAAPI

/// The whole job: a file in, a checked file out, on the best backend at hand.
package enum Transcoder {
    /// Looks at the source and decides; writes nothing.
    package static func plan(_ request: TranscodeRequest) throws(TranscodeError) -> TranscodePlan {
        _ = LibraryMessages.areQuietByDefault
        return try Planner(request, backends: Backends.all()).plan().plan
    }

    /// Transcodes; blocks until the output is in place, and tells `report` what happens, from any thread.
    package static func run(
        _ request: TranscodeRequest, cancellation: Cancellation,
        report: @escaping @Sendable (TranscodeEvent) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        _ = LibraryMessages.areQuietByDefault
        return try TranscodeJob(request, backends: Backends.all(), cancellation: cancellation, report: report).run()
    }
}

/// The only place that names the backends; the order is the order of preference.
enum Backends {
    /// New ones for each job: a GPU stays open as long as the job that asked for it.
    static func all() -> [any VideoBackend] { [VAAPIBackend(), SoftwareBackend()] }
}
