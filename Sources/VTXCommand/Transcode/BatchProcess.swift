import VTXSystem
import VTXTask

/// The process that transcodes one input of a batch.
final class BatchProcess {
    let item: BatchPlan.Item
    /// The index of the input.
    let index: Int
    /// The file with the output's name before the start; nil if there was none.
    let before: FileStatus?
    private var process: Subprocess
    private let descriptor: FileDescriptor
    private var records: LineReader?
    private var messages: LineReader?

    /// - Parameter isHeard: Whether to read its output, which is progress records and messages. Otherwise it inherits
    ///   standard output and error.
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

    /// The events to wait for: its exit and its output.
    var events: [Poll.Event] {
        [descriptor.number, records?.number, messages?.number].compactMap { $0.map(Poll.Event.readable) }
    }

    /// nil while it runs.
    var ending: ProcessEnding? { process.reap() }

    func send(_ signal: StopSignal) { process.send(signal: signal.rawValue) }

    /// Returns the latest progress; nil if there is none since the last call.
    func takeProgress() -> Progress? {
        let lines = records?.take() ?? []
        return lines.last.flatMap { try? JSONLine.value(Progress.self, from: $0) }
    }

    /// Returns the messages since the last call.
    func takeMessages() -> [String] { messages?.take() ?? [] }
}

/// Reads the lines that another process writes to a pipe.
private final class LineReader {
    private let descriptor: FileDescriptor
    private var isAtEnd = false
    private var splitter = LineSplitter(longest: 1 << 16)

    init(_ descriptor: consuming FileDescriptor) {
        descriptor.makeNonBlocking()
        self.descriptor = descriptor
    }

    /// The descriptor to poll; nil at the end.
    var number: Int32? { isAtEnd ? nil : descriptor.number }

    /// Returns the lines received since the last call.
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
