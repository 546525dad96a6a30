import Glibc
import VTXMedia
import VTXSystem
package import VTXTask

/// The pipes that a transcode uses for `-` instead of a file.
package struct TranscodePipes: Sendable {
    private let inputNumber: Int32
    private let outputNumber: Int32
    private let report: @Sendable (PipeEvent) -> Void
    /// False as long as nothing has been read or written.
    private let isUsed = Locked(false)

    /// - Parameter report: Called when data read or written cannot be recovered, and for each second of waiting.
    package init(
        input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO,
        report: @escaping @Sendable (PipeEvent) -> Void = { _ in }
    ) {
        (inputNumber, outputNumber, self.report) = (input, output, report)
    }

    /// - Parameter cancellation: Ends the wait.
    func openInput(
        _ cancellation: Cancellation, digests: Bool
    ) throws(TranscodeError) -> PipedInput {
        let end: PipeEnd
        do throws(SystemError) { end = try open(inputNumber, cancellation) } catch {
            throw TranscodeError(.inputPipe, "standard input cannot be read: \(error)")
        }
        guard !end.isTerminal else {
            throw TranscodeError(
                .inputPipe, "standard input is a terminal, not a video", hint: "pipe a file in, or name one")
        }
        return PipedInput(end, digests: digests, willRead: use)
    }

    func openOutput(
        _ cancellation: Cancellation, digests: Bool
    ) throws(TranscodeError) -> PipedOutput {
        let end: PipeEnd
        do throws(SystemError) { end = try open(outputNumber, cancellation) } catch {
            throw TranscodeError(.outputPipe, "standard output cannot be written: \(error)")
        }
        guard !end.isTerminal else { throw .standardOutputIsTerminal }
        return PipedOutput(end, digests: digests, willWrite: use)
    }

    private func open(_ number: Int32, _ cancellation: Cancellation) throws(SystemError) -> PipeEnd {
        let end = try PipeEnd(duplicating: number) { [report] in report(.waits) }
        cancellation.onCancel { end.stop() }
        return end
    }

    private func use() {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        if isFirst { report(.used) }
    }
}
