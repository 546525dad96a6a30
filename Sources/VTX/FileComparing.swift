import VTXMedia
import VTXSession
import VTXSoftware
package import VTXTask
import VTXTranscode

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
