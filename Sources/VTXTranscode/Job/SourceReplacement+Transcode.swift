import VTXMedia
import VTXSystem
import VTXTask

extension SourceReplacement {
    /// - Parameter state: That of the source before anything of it was read; nil if there was none.
    /// - Throws: `output.notReplaced`, `output.exists`, before any work; `input.changed`.
    init(_ plan: TranscodePlan, expecting state: SourceState?) throws(TranscodeError) {
        do throws(SourceReplacementError) {
            guard let state else { throw .changed }
            try self.init(plan.input, at: OutputName.target(of: plan.input), by: plan.output, expecting: state)
        } catch { throw TranscodeError(error, of: plan.input, by: plan.output) }
    }

    /// Tests with the empty file what will be needed at the end.
    func begin(_ file: AtomicFile) throws(TranscodeError) { try giveAttributes(to: file, isDone: false) }

    /// Gives the complete output the attributes of the source.
    ///
    /// - Parameter isIncomplete: Whether the source is corrupt or truncated.
    func finish(_ file: AtomicFile, isIncomplete: Bool) throws(TranscodeError) {
        do throws(SourceReplacementError) { try checkEnd(isIncomplete: isIncomplete) } catch {
            throw TranscodeError(error, of: source, by: file.finalPath)
        }
        try giveAttributes(to: file, isDone: true)
        try reportingOutputErrors { () throws(AtomicFileError) in try file.synchronize() }
    }

    /// Checks directly before the end that the source is still the file that was read.
    func checkSource(by output: String) throws(TranscodeError) {
        do throws(SourceReplacementError) { try checkUnchanged() } catch {
            throw TranscodeError(error, of: source, by: output)
        }
    }

    /// Another file has taken the output's name in the meantime.
    func takenName(_ output: String) -> TranscodeError { TranscodeError(.outputExists, of: source, by: output) }

    private func giveAttributes(to file: AtomicFile, isDone: Bool) throws(TranscodeError) {
        do throws(SourceReplacementError) {
            try giveAttributes { attributes throws(SystemError) in try file.take(attributes, isDone: isDone) }
        } catch { throw TranscodeError(error, of: source, by: file.finalPath) }
    }
}

extension TranscodeError {
    fileprivate init(_ error: SourceReplacementError, of source: String, by output: String) {
        switch error {
        case .outputExists:
            self.init(
                .outputExists, "the output '\(output)' exists already, and is not the source '\(source)'",
                hint: "give one of them another name")
        case .changed: self.init(.inputChanged, "'\(source)' has changed while it was read")
        case .refused(let reason, let hint):
            self.init(
                .outputNotReplaced, "'\(source)' cannot be replaced: \(reason)",
                hint: hint.map { "\($0)" } ?? "without \(option: .replace) the output gets its own name")
        }
    }
}
