import VTXSystem

/// The process that transcodes one input of a batch.
final class BatchProcess {
    let item: BatchPlan.Item
    /// The index of the input.
    let index: Int
    /// The file with the output's name before the start; nil if there was none.
    let before: FileStatus?
    /// Whether it has reported its result.
    var hasResult = false
    /// Messages to be shown when it has ended.
    var heldMessages: [String] = []
    private var process: Subprocess
    private let descriptor: FileDescriptor
    private var records: LineReader?
    private var messages: LineReader?

    /// What is read of its output; the rest goes to this process's standard output and error.
    enum CapturedOutput: Sendable {
        case nothing
        /// Standard output.
        case records
        /// Standard error.
        case messages
        case recordsAndMessages
    }

    init(
        _ item: BatchPlan.Item, _ index: Int, _ launch: Launch, before: FileStatus?, _ captured: CapturedOutput
    ) throws(SystemError) {
        (self.item, self.index, self.before) = (item, index, before)
        switch captured {
        case .nothing: process = try Subprocess(launch)
        case .records:
            let output = try Pipe()
            process = try Subprocess(launch, output: (output.writing.number, BatchProcess.standardError))
            records = LineReader(output.takeReading(), longest: BatchProcess.longestRecord)
        case .messages:
            let error = try Pipe()
            process = try Subprocess(launch, output: (BatchProcess.standardOutput, error.writing.number))
            messages = LineReader(error.takeReading(), longest: BatchProcess.longestMessage)
        case .recordsAndMessages:
            let output = try Pipe()
            let error = try Pipe()
            process = try Subprocess(launch, output: (output.writing.number, error.writing.number))
            records = LineReader(output.takeReading(), longest: BatchProcess.longestRecord)
            messages = LineReader(error.takeReading(), longest: BatchProcess.longestMessage)
        }
        descriptor = try process.openEnd()
    }

    private static let (standardOutput, standardError): (Int32, Int32) = (1, 2)
    /// Bytes. A result has the bit rates of a whole video.
    private static let (longestRecord, longestMessage) = (1 << 26, 1 << 16)

    /// The events to wait for: its exit and its output.
    var events: [Poll.Event] {
        [descriptor.number, records?.number, messages?.number].compactMap { $0.map(Poll.Event.readable) }
    }

    /// nil while it runs.
    var ending: ProcessEnding? { process.reap() }

    func send(_ signal: StopSignal) { process.send(signal: signal.rawValue) }

    /// Returns the lines of standard output since the last call.
    func takeRecords() -> [String] { records?.take() ?? [] }

    /// Returns the messages since the last call.
    func takeMessages() -> [String] { messages?.take() ?? [] }
}

/// Reads the lines that another process writes to a pipe.
private final class LineReader {
    private let descriptor: FileDescriptor
    private var isAtEnd = false
    private var splitter: LineSplitter

    /// - Parameter longest: The maximum length of a line in bytes.
    init(_ descriptor: consuming FileDescriptor, longest: Int) {
        descriptor.makeNonBlocking()
        splitter = LineSplitter(longest: longest)
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
