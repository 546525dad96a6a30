import VTXMedia
import VTXSystem
import VTXTask

/// An output that has its name only when it is whole: written under another one, read back, then renamed.
struct ElementaryStreamOutput {
    let path: String
    let input: String
    let overwrite: OverwritePolicy
    let cancellation: Cancellation

    /// - Returns: false where the output exists and is to be left alone.
    func isWanted() throws(TranscodeError) -> Bool {
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: input, output: path)
            return try AtomicFile.isWanted(path, overwrite)
        }
    }

    /// Has the file written and checked, and puts it in place; nothing is left of it after an error.
    func write(
        _ body: (AtomicFile) throws(TranscodeError) -> Void, check: (AtomicFile) throws(TranscodeError) -> Void
    ) throws(TranscodeError) {
        let file = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(path, replaces: overwrite == .replace, source: input)
        }
        do throws(TranscodeError) {
            try body(file)
            try reportingOutputErrors { () throws(AtomicFileError) in try file.synchronize() }
            try check(file)
            try stopIfCancelled()
            try reportingOutputErrors { () throws(AtomicFileError) in try file.commit() }
        } catch {
            file.discard()
            throw error
        }
    }

    /// To be called often.
    func stopIfCancelled() throws(TranscodeError) {
        guard let reason = cancellation.reason else { return }
        throw .cancelled(reason, output: path)
    }
}
