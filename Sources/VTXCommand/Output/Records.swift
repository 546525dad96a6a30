package import VTXTask

/// A line of `--json` output. The names of times contain their unit. Readers must ignore unknown keys.
package protocol Record: Encodable, Sendable {
    /// Identifies the type of record; never changes.
    var type: String { get }
}

extension Record {
    /// The record as JSON, newline included.
    package var line: String { JSONLine.text(self, spelling: FlagSpelling.recordSpelling) }
}

/// A value whose keys are next to the type.
struct ValueRecord<Value: Encodable & Sendable>: Record {
    let type: String
    let value: Value

    private enum Key: CodingKey { case type }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
    }
}

extension TranscodeEvent {
    /// The event as a record, newline included.
    var line: String { JSONLine.text(self, spelling: FlagSpelling.recordSpelling) }
}

/// The outcome: always the last record.
package struct ResultRecord: Record {
    package let type = "result"
    let status: Status
    let exitCode: Int32
    var error: TranscodeError?
    /// In a batch.
    var input: String?
    var output: String?
    /// Why the source was skipped.
    var reason: String?
    var frames: Int?
    var seconds: Double?
    var bytes: Int64?
    var elapsedSeconds: Double?
    var bitRates: BitRates?
    var engineSeconds: [String: [String: Double]]?
    var verification: VerificationReport?
    var stageDevices: [String: [String]]?
    var latencySeconds: Double?
    var notices: [TranscodeEvent] = []

    enum Status: String, Encodable, Sendable {
        case completed
        case incompleteSource
        case skipped
        case failed
        case cancelled
    }

    /// The result of a command that has nothing else to report.
    package static let success = ResultRecord(status: .completed, exitCode: ExitCode.success.rawValue)

    /// The result of a command that has written a file.
    static func written(_ path: String) -> ResultRecord {
        var record = success
        record.output = path
        return record
    }

    /// The result of a command that has read something.
    package init(_ exitCode: ExitCode, notices: [Notice] = []) {
        self.init(
            status: exitCode == .incompleteSource ? .incompleteSource : .completed, exitCode: exitCode.rawValue)
        self.notices = notices.map(TranscodeEvent.notice)
    }

    private init(status: Status, exitCode: Int32) {
        self.status = status
        self.exitCode = exitCode
    }

    init(_ error: TranscodeError, output: String? = nil, notices: [Notice] = []) {
        let isCancelled = error.exitCode == .interrupted || error.exitCode == .terminated
        self.init(status: isCancelled ? .cancelled : .failed, exitCode: error.exitCode.rawValue)
        self.error = error
        self.output = output
        self.notices = notices.map(TranscodeEvent.notice)
    }

    init(_ result: TranscodeResult, notices: [Notice]) {
        self.init(status: Status(result.outcome), exitCode: result.exitCode.rawValue)
        (output, reason) = (result.output, result.reason)
        frames = result.frames
        seconds = result.seconds.thousandths
        bytes = result.bytes
        elapsedSeconds = result.elapsedSeconds.thousandths
        bitRates = result.bitRates
        (verification, stageDevices) = (result.verification, result.stageDevices)
        latencySeconds = result.latencySeconds?.thousandths
        engineSeconds = result.engineSeconds?.mapValues { $0.mapValues(\.thousandths) }
        self.notices = notices.map(TranscodeEvent.notice)
    }
}

extension ResultRecord.Status {
    fileprivate init(_ outcome: TranscodeResult.Outcome) {
        switch outcome {
        case .completed: self = .completed
        case .incompleteSource: self = .incompleteSource
        case .skipped: self = .skipped
        }
    }
}
