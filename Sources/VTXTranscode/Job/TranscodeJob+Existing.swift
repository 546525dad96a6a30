import VTXMedia
import VTXSystem
import VTXTask

// What exists already.
extension TranscodeJob {
    /// Returns the result if there is nothing to do; nil if the output is wanted.
    func checkExisting(_ plan: TranscodePlan) throws(TranscodeError) -> TranscodeResult? {
        if plan.writesPipe { return nil }
        if let done = completeEarlier(plan.output) { return done }
        // An earlier run was killed when all was done.
        if AtomicFile.finishCommit(of: plan.output), let journal = request.journal {
            Directory.removeTree(journal.path(for: plan.output))
        }
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

    /// Returns the result if the source is skipped because of its codec.
    func checkCodec(_ plan: TranscodePlan) -> TranscodeResult? {
        guard let reason = plan.reasonToSkip(request) else { return nil }
        var result = TranscodeResult.skipped(plan.output)
        result.reason = reason
        return finished(result)
    }

    /// Completes an earlier run that was killed after its output had replaced the source.
    func completeReplacement() -> TranscodeResult? {
        guard request.replacesSource else { return nil }
        return completeEarlier(
            OutputName.replacing(request.input, with: request.codec ?? request.profile?.codec))
    }

    /// Completes an earlier run of the same command that was killed after its output had replaced the existing file.
    private func completeEarlier(_ output: String) -> TranscodeResult? {
        guard let journal = request.journal, !journal.startsOver,
            let notice = FinishedTranscode(output, journal)?.finish(journal)
        else { return nil }
        report([notice])
        return finished(.skipped(output))
    }
}
