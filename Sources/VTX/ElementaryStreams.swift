package import VTXTask
import VTXTranscode

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
