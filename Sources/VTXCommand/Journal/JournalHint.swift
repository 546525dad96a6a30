import VTXMedia
import VTXTask

extension TranscodeError {
    /// The same error, with what a worker that died, or that failed with its GPU, could not say: that its journal is
    /// there.
    func hinting(atJournalOf request: TranscodeRequest, _ output: String?) -> TranscodeError {
        let mayGoOn = [.hardware, .fallback, .internal, .interrupted, .terminated].contains(category)
        guard mayGoOn, let journal = request.journal, let output, journal.exists(for: output) else { return self }
        let command = journal.resumeCommand(output)
        guard hint?.withFlags.contains(command) != true else { return self }
        let goesOn: Message = "the same command, or `\(command)`, goes on with what is there"
        var error = self
        error.hint = hint.map { $0 + "; " + goesOn } ?? goesOn
        return error
    }
}
