import VTXSystem
import VTXTask

/// An input that is being transcoded.
final class BatchProcess {
    let item: BatchPlan.Item
    /// Its place among the inputs.
    let index: Int
    /// What was under the output's name.
    let before: FileStatus?
    private var process: Subprocess
    private let descriptor: FileDescriptor
    private var records: LineReader?
    private var messages: LineReader?

    /// - Parameter isHeard: what it writes is read here, as records of progress and as messages.
    init(
        _ item: BatchPlan.Item, _ index: Int, _ launch: Launch, before: FileStatus?, isHeard: Bool
    ) throws(SystemError) {
        (self.item, self.index, self.before) = (item, index, before)
        if isHeard {
            let output = try Pipe()
            let error = try Pipe()
            process = try Subprocess(launch, output: (output.writing.number, error.writing.number))
            (records, messages) = (LineReader(output.takeReading()), LineReader(error.takeReading()))
        } else {
            process = try Subprocess(launch)
        }
        descriptor = try process.openEnd()
    }

    /// What it may do next: end, or write.
    var events: [Poll.Event] {
        [descriptor.number, records?.number, messages?.number].compactMap { $0.map(Poll.Event.readable) }
    }

    /// nil while it runs.
    var ending: ProcessEnding? { process.reap() }

    func send(_ signal: StopSignal) { process.send(signal: signal.rawValue) }

    /// How far it is, where it has said so since the last time.
    func takeProgress() -> Progress? {
        let lines = records?.take() ?? []
        return lines.last.flatMap { try? JSONLine.value(Progress.self, from: $0) }
    }

    /// Lines for people since the last time.
    func takeMessages() -> [String] { messages?.take() ?? [] }
}

/// Lines that another process writes into a pipe.
private final class LineReader {
    private let descriptor: FileDescriptor
    private var isAtEnd = false
    private var splitter = LineSplitter(longest: 1 << 16)

    init(_ descriptor: consuming FileDescriptor) {
        descriptor.makeNonBlocking()
        self.descriptor = descriptor
    }

    /// nil at the end.
    var number: Int32? { isAtEnd ? nil : descriptor.number }

    /// Those that have come.
    func take() -> [String] {
        var lines: [String] = []
        while !isAtEnd {
            switch try? descriptor.readAvailable() {
            case .bytes(let bytes): lines += splitter.add(bytes)
            case .nothingYet: return lines
            case .end, nil: isAtEnd = true
            }
        }
        return lines
    }
}
