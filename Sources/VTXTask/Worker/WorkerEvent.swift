package import VTXMedia

/// An event of a worker, one per line. One of the last three ends its work, after which the process exits.
package enum WorkerEvent: Sendable, Hashable {
    /// The worker calls this GPU's driver for another purpose than before.
    case using(DriverUse)
    /// From here on, an unfinished file for this output may exist.
    case writing(String)
    case pipe(PipeEvent)
    /// A plan, a notice or progress.
    case transcode(TranscodeEvent)
    /// The recording has started.
    case capturing(CaptureDescription)
    /// A library's log message.
    case log(String)
    /// Text for standard output.
    case output(String)
    case answer(WorkerAnswer)

    case result(TranscodeResult)
    /// The work has ended.
    case done
    case failed(TranscodeError)
}

/// The state of standard input and output, if they are used as files.
package enum PipeEvent: String, Sendable, Hashable, Codable {
    /// From here on, the task cannot restart, because what was read or written is gone.
    case used
    /// The other program has neither written nor read for a second.
    case waits
}

/// The answer to a question.
package enum WorkerAnswer: Sendable, Hashable, Codable {
    case driver(NodeProbe)
    case selfTest(SelfTestResult)
    case selfTestTranscode(TranscodeReport)
    /// The result of a list.
    case listed(TranscodeResult.Outcome)
    /// Further frames of a comparison, in order.
    case comparedFrames([ComparedFrame])
    case compared(ComparisonReport)
    case captureDevices(CaptureDevices)
    case versions([LibraryVersion])
    case assessed(ProbeReport)
    case unfinished([UnfinishedTranscode])
}

/// A library that a worker is using.
package struct LibraryVersion: Sendable, Hashable, Codable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

extension WorkerEvent {
    /// Whether it may be dropped, because the next event of its kind supersedes it.
    package var isDispensable: Bool {
        switch self {
        case .transcode(.progress), .pipe(.waits): true
        default: false
        }
    }
}

/// An object with a `type`; events of a transcode have the transcode's types.
extension WorkerEvent: Codable {
    private enum Key: CodingKey {
        case type
        /// The content of an event of this type.
        case content
    }

    private enum Kind: String, Codable {
        case using
        case writing
        case pipe
        case plan
        case notice
        case progress
        case capturing
        case log
        case output
        case answer
        case result
        case done
        case error
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func content<Content: Decodable>() throws -> Content { try container.decode(Content.self, forKey: .content) }
        switch try container.decode(Kind.self, forKey: .type) {
        case .using: self = .using(try content())
        case .writing: self = .writing(try content())
        case .pipe: self = .pipe(try content())
        case .plan, .notice, .progress: self = .transcode(try TranscodeEvent(from: decoder))
        case .capturing: self = .capturing(try content())
        case .log: self = .log(try content())
        case .output: self = .output(try content())
        case .answer: self = .answer(try content())
        case .result: self = .result(try TranscodeResult(from: decoder))
        case .done: self = .done
        case .error: self = .failed(try content())
        }
    }

    package func encode(to encoder: any Encoder) throws {
        func encode(_ kind: Kind, _ content: (any Encodable)? = nil) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(kind, forKey: .type)
            if let content { try container.encode(content, forKey: .content) }
        }
        switch self {
        case .using(let use): try encode(.using, use)
        case .writing(let output): try encode(.writing, output)
        case .pipe(let event): try encode(.pipe, event)
        case .transcode(let event): try event.encode(to: encoder)
        case .capturing(let description): try encode(.capturing, description)
        case .log(let text): try encode(.log, text)
        case .output(let text): try encode(.output, text)
        case .answer(let answer): try encode(.answer, answer)
        case .result(let result): try TranscodeEvent.finished(result).encode(to: encoder)
        case .done: try encode(.done)
        case .failed(let error): try encode(.error, error)
        }
    }
}
