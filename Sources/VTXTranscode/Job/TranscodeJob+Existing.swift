import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

// Existing outputs, and sources that already have the codec.
extension TranscodeJob {
    /// Finishes what an earlier run has left: its rename, its journal, the source that its output replaces.
    ///
    /// - Returns: the result if there is nothing else to do; nil if the output is wanted.
    func finishEarlierRun(_ plan: TranscodePlan) throws(TranscodeError) -> TranscodeResult? {
        if plan.writesPipe { return nil }
        if let done = try completeEarlier(plan.output) { return done }
        // An earlier run was killed when all was done.
        let journal = request.journal?.path(for: plan.output)
        if AtomicFile.finishCommit(of: plan.output), let journal { Directory.removeTree(journal) }
        // If only an empty directory is left of its journal.
        if let journal, FileStatus(plan.output) != nil { rmdir(journal) }
        if request.replacesSource { return nil }
        if plan.ladder != nil {
            let isWanted = try reportingOutputErrors { () throws(AtomicFileError) in
                try LadderOutput.isWanted(plan.output, request.overwrite)
            }
            return isWanted ? nil : finished(.skipped(plan.output))
        }
        let isWanted = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.isWanted(plan.output, request.overwrite)
        }
        return isWanted ? nil : finished(.skipped(plan.output))
    }

    /// Marks the output as complete. Without the mark, the next run only cannot tell that this one was done: no reason to
    /// lose the output.
    func markFinished(_ path: String, replacing source: String?) {
        do { try journal?.markFinished(path, replacing: source) } catch {
            report([Notice(.journalUnusable, error.message)])
        }
    }

    /// Returns the result if the source is skipped because of its codec.
    func checkCodec(_ plan: TranscodePlan) -> TranscodeResult? {
        plan.reasonToSkip(request).map { skipped(plan.output, because: $0) }
    }

    /// Returns the result if the source is skipped because of its codec, before anything else of it is examined and any
    /// encoder is opened; nil if the plan has to show it.
    func checkCodec() throws(TranscodeError) -> TranscodeResult? {
        guard request.maySkip, !request.usesPipe else { return nil }
        let source = try SourceInspector.open(
            request.input, videoPosition: request.selection.video, frameRate: request.inputFrameRate)
        guard let reason = request.reasonToSkip(source.video.codecName), let output = try knownOutput(source) else {
            return nil
        }
        return skipped(output, because: reason)
    }

    private func skipped(_ output: String, because reason: String) -> TranscodeResult {
        var result = TranscodeResult.skipped(output)
        result.reason = reason
        return finished(result)
    }

    /// Returns the name of the output; nil if it depends on a codec that only the plan knows.
    private func knownOutput(_ source: Source) throws(TranscodeError) -> String? {
        if request.replacesSource { return replacingName }
        if let output = request.output { return output }
        let video = request.copiesVideo ? .copied(source.video.info) : codec.map(OutputVideo.encoded)
        var notes = PlanNotes()
        return try video.map { video throws(TranscodeError) in
            try OutputChoice.choose(request, video, &notes).path
        }
    }

    /// The codec of the output; nil if only the plan knows it.
    private var codec: VideoCodec? { request.codec ?? request.profile?.codec }
    private var replacingName: String { OutputName.replacing(request.input, with: codec) }

    /// Completes an earlier run that was killed after its output had replaced the source.
    func completeReplacement() throws(TranscodeError) -> TranscodeResult? { try completeEarlier(replacingName) }

    /// Completes an earlier run of the same command that was killed after its output had replaced the existing file.
    private func completeEarlier(_ output: String) throws(TranscodeError) -> TranscodeResult? {
        guard let journal = request.journal, !journal.startsOver,
            let notice = try FinishedTranscode(output, journal)?.finish(
                journal, replacing: request.replacesSource ? OutputName.target(of: request.input) : nil)
        else { return nil }
        report([notice])
        return finished(.skipped(output))
    }
}
