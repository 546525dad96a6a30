import VTXJSON
import VTXSystem
import VTXTask

/// Shows what the processes of a batch report.
protocol BatchReporter {
    /// Which output of the processes it takes; the rest is inherited.
    var captured: BatchProcess.CapturedOutput { get }
    /// Takes the new output of a process.
    mutating func show(_ process: BatchProcess)
    mutating func end(_ process: BatchProcess)
    /// Makes room for a line.
    mutating func erase()
}

/// Passes the records of the processes on, each with the input that it is about, because they are mixed.
struct BatchRecords: BatchReporter {
    let console: Console
    let captured = BatchProcess.CapturedOutput.records

    func show(_ process: BatchProcess) {
        for line in process.takeRecords() {
            guard let record = try? JSONValue(parsing: Array(line.utf8)), var members = record.object else { continue }
            if members["type"]?.string == "result" { process.hasResult = true }
            members["input"] = .string(process.item.input)
            console.output.write(JSONValue.object(members).text + "\n")
        }
    }

    func end(_ process: BatchProcess) {}
    func erase() {}
}

/// Holds the messages of each process until it has ended, because several run at a time.
struct BatchMessages: BatchReporter {
    let captured = BatchProcess.CapturedOutput.messages

    func show(_ process: BatchProcess) { process.heldMessages += process.takeMessages() }
    func end(_ process: BatchProcess) {}
    func erase() {}
}

/// The outcome of a batch: its last record.
struct SummaryRecord: Record {
    let type = "summary"
    let files: Int
    let done: Int
    let skipped: Int
    let failed: Int
    let cancelled: Int
    let sourceBytes: Int64
    let outputBytes: Int64
    let savedBytes: Int64
    let elapsedSeconds: Double
    let exitCode: Int32

    /// - Parameter exitCode: That of the command.
    init(_ summary: BatchSummary, elapsedSeconds: Double, _ exitCode: ExitCode) {
        files = summary.files
        (done, skipped, failed, cancelled) = (summary.done, summary.skipped, summary.failed, summary.cancelled)
        (sourceBytes, outputBytes) = (summary.sourceBytes, summary.outputBytes)
        savedBytes = summary.sourceBytes - summary.outputBytes
        self.elapsedSeconds = elapsedSeconds.thousandths
        self.exitCode = exitCode.rawValue
    }
}
