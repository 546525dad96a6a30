import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

extension TranscodeError {
    var isCancellation: Bool { category == .interrupted || category == .terminated }

    /// The journal was made for something else.
    static func journalMismatch(_ output: String, _ differences: [String], frames: Int) -> TranscodeError {
        TranscodeError(
            .journalMismatch,
            "the unfinished transcode of '\(output)' cannot go on: what differs is \(differences.joined(separator: ", "))",
            hint: "\(option: .restart) starts over; that throws \(counted(frames, "frame", "frames")) away")
    }

    /// The same error, with what can be gone on from.
    ///
    /// - Parameter journal: where the frames are.
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
        case .system(let path, let error): self.init(output: "the journal '\(path)' cannot be written", error.code)
        }
    }
}
