import VTXMedia

/// An output that has its name only when it is whole: written under another one, read back, then renamed.
struct WholeOutput {
    let path: String
    let input: String
    let overwrite: OverwritePolicy
    let cancellation: Cancellation

    /// - Returns: false where the output exists and is to be left alone.
    func isWanted() throws(TranscodeError) -> Bool {
        try OutputFile.checkDistinct(input: input, output: path)
        guard OutputFile.exists(path) else { return true }
        switch overwrite {
        case .replace: return true
        case .skip: return false
        case .refuse:
            throw TranscodeError(
                .output, "output.exists", "the output '\(path)' exists already",
                hint: "-y replaces it once the new file is whole; -n leaves it alone")
        }
    }

    /// Has the file written and checked, and puts it in place; nothing is left of it after an error.
    func write(
        _ body: (OutputFile) throws(TranscodeError) -> Void, check: (OutputFile) throws(TranscodeError) -> Void
    ) throws(TranscodeError) {
        let file = try OutputFile.reserve(path, overwrites: overwrite == .replace, input: input)
        do {
            try body(file)
            try file.synchronize()
            try check(file)
            try stopIfCancelled()
            try file.commit()
        } catch {
            file.discard()
            throw error
        }
    }

    /// To be called often.
    func stopIfCancelled() throws(TranscodeError) {
        guard let reason = cancellation.reason else { return }
        throw TranscodeError(
            reason == .interrupted ? .interrupted : .terminated, "cancelled",
            "cancelled; nothing is left of '\(path)'")
    }
}
