import VTXSystem
import VTXTask

/// The progress of a batch, with each input weighted by its size. Pure.
struct BatchProgress: Sendable, Hashable {
    private let sizes: [Double]
    private var fractions: [Double]
    /// The speed of each running transcode, in seconds of video per second.
    private var speeds: [Int: Double] = [:]
    private var ended = 0

    /// - Parameter sizes: The size of each input in bytes.
    init(sizes: [Int64]) {
        self.sizes = sizes.map { Double(max(1, $0)) }
        fractions = Array(repeating: 0, count: sizes.count)
    }

    mutating func note(_ progress: Progress, of index: Int) {
        speeds[index] = progress.speed
        // A search for a quality precedes the transcode, and is not counted.
        guard progress.phase != .searching, let fraction = progress.fraction else { return }
        fractions[index] = max(fractions[index], fraction)
    }

    mutating func end(_ index: Int) {
        speeds[index] = nil
        fractions[index] = 1
        ended += 1
    }

    /// The completed fraction of all inputs.
    var fraction: Double { zip(sizes, fractions).reduce(0) { $0 + $1.0 * $1.1 } / sizes.reduce(0, +) }

    /// Returns the progress line, in at most this many columns.
    func text(width: Int, elapsed: Double) -> String {
        var facts = [
            "\(Int((fraction * 100).rounded(.down)))%".leftPadded(to: 4),
            "\(ended) of \(sizes.count) files", Format.speed(speeds.values.reduce(0, +)),
        ]
        // Too early, the estimate would be random.
        if fraction > 0.005 { facts.append("ETA \(Format.clock(elapsed * (1 - fraction) / fraction))") }
        return ProgressLine.text(of: facts, fraction, width: width)
    }
}

/// Draws the progress line, and prints the messages of the processes above it.
struct BatchDisplay: BatchReporter {
    let captured = BatchProcess.CapturedOutput.recordsAndMessages
    private let console: Console
    /// Whether the messages of a process are shown together when it has ended, because several run at a time.
    private let holdsMessages: Bool
    private var progress: BatchProgress
    private let start = ContinuousClock.now
    private var line: StatusLine
    private var drawn: ContinuousClock.Instant?

    /// The minimum interval between two drawings.
    private static let interval = Duration.milliseconds(100)

    init(_ items: [BatchPlan.Item], _ console: Console, holdsMessages: Bool) {
        (self.console, self.holdsMessages) = (console, holdsMessages)
        line = StatusLine(console)
        progress = BatchProgress(sizes: items.map(\.byteCount))
    }

    /// Prints the new messages and progress of a process.
    mutating func show(_ process: BatchProcess) {
        var messages = process.takeMessages()
        if holdsMessages {
            process.heldMessages += messages
            messages = []
        }
        if !messages.isEmpty { erase() }
        messages.forEach { console.messages.write($0 + "\n") }
        let news = process.takeRecords().last.flatMap { try? JSONLine.value(Progress.self, from: $0) }
        if let news { progress.note(news, of: process.index) }
        if news != nil || !messages.isEmpty { draw() }
    }

    mutating func end(_ process: BatchProcess) {
        progress.end(process.index)
        erase()
    }

    mutating func erase() {
        line.erase()
        drawn = nil
    }

    private mutating func draw() {
        let now = ContinuousClock.now
        guard drawn.map({ now - $0 >= Self.interval }) ?? true else { return }
        line.draw { [progress, start] in progress.text(width: $0, elapsed: (now - start) / .seconds(1)) }
        drawn = now
    }
}
