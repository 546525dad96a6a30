import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

extension TranscodeError {
    var isCancellation: Bool { category == .interrupted || category == .terminated }

    /// The journal belongs to another task.
    static func journalMismatch(
        _ output: String, _ difference: JournalDifference, frames: Int, resume journal: JournalRequest
    ) -> TranscodeError {
        let resumes: Message = "`\(journal.resumeCommand(output))` continues with the original settings; "
        let startsOver: Message =
            "with \(option: .restart) the command starts over, and discards \(counted(frames, "frame", "frames"))"
        return TranscodeError(
            .journalMismatch,
            "the unfinished transcode of '\(output)' cannot be resumed; it differs in "
                + "\(difference.texts.joined(separator: ", "))",
            hint: difference.isOfSettings ? resumes + startsOver : startsOver)
    }

    /// Returns the error with the number of frames to resume from.
    ///
    /// - Parameter journal: The location of the frames.
    func keeping(_ frameCount: Int, of output: String, in journal: JournalRequest) -> TranscodeError {
        var error = self
        if isCancellation { error.message = "cancelled" }
        let condition: Message = kind == .outputNoSpace ? "with more space, " : ""
        error.hint =
            (hint.map { $0 + "; " } ?? "") + condition
            + journal.resumeHint(output, "after \(counted(frameCount, "frame", "frames"))")
        return error
    }

    init(_ error: JournalError) {
        switch error {
        case .busy(let path): self.init(.outputBusy, "another vtx is writing the journal '\(path)'")
        case .notADirectory(let path): self.init(.outputNotAFile, "the journal '\(path)' is not a directory")
        case .damagedHeader(let path, let reason): self.init(.internal, "'\(path)' cannot be used: \(reason)")
        case .otherFormat(let path, let version):
            self.init(.internal, "'\(path)' cannot be used: its format is \(version)")
        case .otherTask(let path, _): self.init(.internal, "'\(path)' cannot be used: another version has written it")
        case .system(let path, let error):
            self.init(output: "the journal '\(path)' cannot be written", error.code)
            hint = "\(option: .workDirectory) names another directory for journals, \(option: .journal) keeps none"
        }
    }
}
