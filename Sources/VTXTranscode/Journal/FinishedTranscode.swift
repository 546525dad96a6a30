import Glibc
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// A transcode that was killed after its output was complete and before its journal was removed.
struct FinishedTranscode {
    private let journal: JournalDirectory
    private let completion: JournalCompletion
    private let output: String

    /// - Returns: nil if the journal belongs to an unfinished transcode or to another output.
    init?(_ output: String, _ request: JournalRequest) {
        let path = request.path(for: output)
        guard JournalCompletion.exists(in: path), let journal = try? JournalDirectory.open(path, timeout: .worker),
            let completion = JournalCompletion.read(from: journal),
            (try? SourceIdentity(ofOutput: output)) == completion.output
        else { return nil }
        (self.journal, self.completion, self.output) = (journal, completion, output)
    }

    /// Completes the remaining steps.
    ///
    /// - Parameters:
    ///   - request: That of the current command.
    ///   - source: The source that the current command is to replace; nil if it replaces none.
    /// - Returns: the notice for the user if the command is the same; nil if the command has its own work to do.
    /// - Throws: `output.notReplaced` if the source cannot be removed.
    func finish(_ request: JournalRequest, replacing source: String? = nil) throws(TranscodeError) -> Notice? {
        let isSame = isSame(request)
        // Also for another command: the output is complete, and only this journal records its source.
        try reportingOutputErrors { () throws(AtomicFileError) in try removeSource() }
        AtomicDirectory.removeReplaced(by: output)
        _ = AtomicFile.finishCommit(of: output)
        journal.remove()
        // A source that is gone has been replaced, whatever the options.
        let isReplaced = source.map { completion.replacedSource == request.absolutePath($0) && FileStatus($0) == nil }
        guard isSame || isReplaced == true else { return nil }
        return Notice(.journalFinished, "an earlier run had finished '\(output)'; nothing was left to do")
    }

    private func isSame(_ request: JournalRequest) -> Bool {
        guard completion.command == request.command, completion.workingDirectory == request.workingDirectory
        else { return false }
        let additions = completion.additions ?? [:]
        guard additions.allSatisfy({ (try? SourceIdentity(of: $0.key)) == $0.value }) else { return false }
        // A source that was replaced is the output by now.
        return completion.replacedSource != nil || (try? SourceIdentity(of: completion.input)) == completion.source
    }

    /// Removes the source if the output that replaces it has another name.
    private func removeSource() throws(AtomicFileError) {
        guard let source = completion.replacedSource, FileIdentity(source) != FileIdentity(output),
            (try? SourceIdentity(of: source)) == completion.source
        else { return }
        guard unlink(source) == 0 else {
            throw .sourceNotRemoved(path: source, output: output, SystemError("unlink", errno))
        }
        try? Directory.synchronize(FileName.directory(of: source).directory)
    }
}
