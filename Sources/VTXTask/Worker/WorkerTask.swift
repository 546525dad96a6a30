/// A worker's task: the first line that it reads.
package struct WorkerOrder: Sendable, Hashable, Codable {
    package var task: WorkerTask
    /// The driver failures of earlier workers with the same task.
    package var driverFailures: [DriverFailure] = []
    /// Whether to report the libraries' log messages.
    package var reportsLog = false
    /// Whether the worker is restricted to the task's files and has no network access.
    package var isSandboxed = false

    package init(_ task: WorkerTask, reportsLog: Bool = false, isSandboxed: Bool = false) {
        self.task = task
        self.reportsLog = reportsLog
        self.isSandboxed = isSandboxed
    }
}

/// A request to stop, after the order. The end of the pipe means that the owner is gone.
package struct WorkerCancellation: Sendable, Hashable, Codable {
    package var cancel: Cancellation.Reason

    package init(cancel: Cancellation.Reason) { self.cancel = cancel }
}

/// A task that runs in a separate process, because it uses codecs or drivers.
package enum WorkerTask: Sendable, Hashable {
    case transcode(TranscodeRequest)
    /// Plans a transcode without writing anything.
    case plan(TranscodeRequest)
    /// Loads a render node's driver and queries its capabilities.
    case askDriver(node: String)
    case selfTest(SelfTestCase)
    case selfTestTranscode(SelfTestTranscode)
    case listNALUnits(NALDump)
    case compare(ComparisonJob)
    case drawThumbnail(ThumbnailJob)
    case extract(ExtractJob)
    case mux(MuxJob)
    /// Lists the cameras and microphones of this machine.
    case listCaptureDevices
    case capture(CaptureRequest)
    case versions
    /// Interprets drivers' answers.
    case assess([NodeSurvey])
    /// Lists unfinished transcodes in directories.
    case listUnfinished(directories: [String])
    case findUnfinished(UnfinishedName)
}

/// Identifies an unfinished transcode.
package struct UnfinishedName: Sendable, Hashable, Codable {
    /// The path of the journal, or of the output.
    package var name: String
    package var journal: JournalRequest

    package init(_ name: String, _ journal: JournalRequest) {
        self.name = name
        self.journal = journal
    }
}

/// An object with one member, whose name is the task.
extension WorkerTask: Codable {
    private enum Key: CodingKey {
        case transcode
        case plan
        case askDriver
        case selfTest
        case selfTestTranscode
        case listNALUnits
        case compare
        case drawThumbnail
        case extract
        case mux
        case listCaptureDevices
        case capture
        case versions
        case assess
        case listUnfinished
        case findUnfinished
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch container.allKeys.first {
        case .transcode: self = .transcode(try container.decode(TranscodeTask.self, forKey: .transcode).whole)
        case .plan: self = .plan(try container.decode(TranscodeTask.self, forKey: .plan).whole)
        case .askDriver: self = .askDriver(node: try container.decode(String.self, forKey: .askDriver))
        case .selfTest: self = .selfTest(try container.decode(SelfTestCase.self, forKey: .selfTest))
        case .selfTestTranscode:
            self = .selfTestTranscode(try container.decode(SelfTestTranscode.self, forKey: .selfTestTranscode))
        case .listNALUnits: self = .listNALUnits(try container.decode(NALDump.self, forKey: .listNALUnits))
        case .compare: self = .compare(try container.decode(ComparisonJob.self, forKey: .compare))
        case .drawThumbnail:
            self = .drawThumbnail(try container.decode(ThumbnailJob.self, forKey: .drawThumbnail))
        case .extract: self = .extract(try container.decode(ExtractJob.self, forKey: .extract))
        case .mux: self = .mux(try container.decode(MuxJob.self, forKey: .mux))
        case .listCaptureDevices: self = .listCaptureDevices
        case .capture: self = .capture(try container.decode(CaptureRequest.self, forKey: .capture))
        case .versions: self = .versions
        case .assess: self = .assess(try container.decode([NodeSurvey].self, forKey: .assess))
        case .listUnfinished:
            self = .listUnfinished(directories: try container.decode([String].self, forKey: .listUnfinished))
        case .findUnfinished:
            self = .findUnfinished(try container.decode(UnfinishedName.self, forKey: .findUnfinished))
        case nil:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "there is no such task"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .transcode(let request): try container.encode(TranscodeTask(request), forKey: .transcode)
        case .plan(let request): try container.encode(TranscodeTask(request), forKey: .plan)
        case .askDriver(let node): try container.encode(node, forKey: .askDriver)
        case .selfTest(let test): try container.encode(test, forKey: .selfTest)
        case .selfTestTranscode(let test): try container.encode(test, forKey: .selfTestTranscode)
        case .listNALUnits(let listing): try container.encode(listing, forKey: .listNALUnits)
        case .compare(let job): try container.encode(job, forKey: .compare)
        case .drawThumbnail(let job): try container.encode(job, forKey: .drawThumbnail)
        case .extract(let job): try container.encode(job, forKey: .extract)
        case .mux(let job): try container.encode(job, forKey: .mux)
        case .listCaptureDevices: try container.encode(true, forKey: .listCaptureDevices)
        case .capture(let request): try container.encode(request, forKey: .capture)
        case .versions: try container.encode(true, forKey: .versions)
        case .assess(let answers): try container.encode(answers, forKey: .assess)
        case .listUnfinished(let directories): try container.encode(directories, forKey: .listUnfinished)
        case .findUnfinished(let name): try container.encode(name, forKey: .findUnfinished)
        }
    }
}

/// A request with the properties that are not settings.
private struct TranscodeTask: Codable {
    let request: TranscodeRequest
    let journal: JournalRequest?
    let digestsPipes: Bool
    let appended: [String]
    let segmentedWork: SegmentedWork?

    init(_ request: TranscodeRequest) {
        self.request = request
        journal = request.journal
        digestsPipes = request.digestsPipes
        appended = request.appended
        segmentedWork = request.segmentedWork
    }

    var whole: TranscodeRequest {
        var request = request
        request.journal = journal
        request.digestsPipes = digestsPipes
        request.appended = appended
        request.segmentedWork = segmentedWork
        return request
    }
}

/// Creates a thumbnail of a video as JPEG.
package struct ThumbnailJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    /// The time from the video's beginning; nil for a tenth of its duration.
    package var seconds: Double?
    /// The longer side, in pixels. Smaller frames are not enlarged.
    package var side = 320
    package var replaces = false

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }

    /// The allowed sizes of the longer side.
    package static let sides = 16...2048
}
