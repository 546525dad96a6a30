package import VTXMedia
import VTXSession
import VTXSoftware
package import VTXTask
import VTXTranscode
import VTXVAAPI

/// The whole job: a file in, a checked file out, on the best backend at hand.
package enum Transcoder {
    /// Looks at the source and decides; writes nothing.
    ///
    /// - Parameters:
    ///   - drivers: what they did to earlier processes that had this job.
    ///   - willUse: hears of a GPU each time before its driver is called for something else.
    ///   - report: hears of a search for a quality.
    package static func plan(
        _ request: TranscodeRequest, after drivers: [DriverFailure] = [],
        cancellation: Cancellation = Cancellation(), willUse: @escaping @Sendable (DeviceID) -> Void = { _ in },
        report: @escaping @Sendable (TranscodeEvent) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodePlan {
        _ = LibraryMessages.areQuietByDefault
        let backends = Backends.all(request.device, willUse: willUse)
        return try TranscodeJob(
            request, backends: backends, after: drivers, cancellation: cancellation, report: report
        ).plan()
    }

    /// Transcodes; blocks until the output is in place, and tells `report` what happens, from any thread.
    package static func run(
        _ request: TranscodeRequest, after drivers: [DriverFailure] = [], cancellation: Cancellation,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in },
        report: @escaping @Sendable (TranscodeEvent) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        _ = LibraryMessages.areQuietByDefault
        let backends = Backends.all(request.device, willUse: willUse)
        return try TranscodeJob(
            request, backends: backends, after: drivers, cancellation: cancellation, report: report
        ).run()
    }
}

/// Byte streams and what is in them: listing, taking out, putting in.
package enum ElementaryStreams {
    /// Lists NAL units; `report` says whether to go on.
    package static func list(
        _ listing: NALDump, _ report: (NALDump.Event) -> Bool
    ) throws(TranscodeError) -> TranscodeResult.Outcome {
        _ = LibraryMessages.areQuietByDefault
        return try listing.run(report)
    }

    /// - Parameter willWrite: hears of the output before anything is written.
    package static func extract(
        _ job: ExtractJob, _ cancellation: Cancellation, willWrite: (String) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        _ = LibraryMessages.areQuietByDefault
        return try job.run(cancellation, willWrite: willWrite)
    }

    /// - Parameter willWrite: hears of the output before anything is written.
    package static func mux(
        _ job: MuxJob, _ cancellation: Cancellation, willWrite: (String) -> Void
    ) throws(TranscodeError) -> TranscodeResult {
        _ = LibraryMessages.areQuietByDefault
        return try job.run(cancellation, willWrite: willWrite)
    }
}

/// How like its original a file is.
package enum FileComparing {
    /// Decodes both in software and measures each pair of pictures; blocks until that is done.
    package static func run(
        _ job: ComparisonJob, _ cancellation: Cancellation, _ report: @escaping (ComparisonJob.Event) -> Void
    ) throws(TranscodeError) -> ComparisonReport {
        _ = LibraryMessages.areQuietByDefault
        let device: any DeviceSession
        do throws(SessionError) { device = try SoftwareBackend().openSession(on: SoftwareBackend.device) } catch {
            throw TranscodeError(.software, Message(error.message))
        }
        return try job.run(on: device, cancellation, report)
    }
}

/// The only place that names the backends; the order is the order of preference.
enum Backends {
    /// New ones for each job: a GPU stays open as long as the job that asked for it.
    ///
    /// - Parameters:
    ///   - device: the GPUs that may be opened.
    ///   - timeout: seconds for a driver to say what it can do; nil for ever.
    ///   - willUse: hears of a GPU each time before its driver is called for something else.
    static func all(
        _ device: DeviceSelector = .auto, timeout: Double? = nil,
        willUse: @escaping @Sendable (DeviceID) -> Void = { _ in }
    ) -> [any VideoBackend] {
        [VAAPIBackend(selector: device, timeout: timeout, willUse: willUse), SoftwareBackend()]
    }
}
