/// What a worker is to do: the first line that it reads.
package struct WorkerOrder: Sendable, Hashable, Codable {
    package var task: WorkerTask
    /// What GPUs' drivers did to earlier workers with the same task.
    package var driverFailures: [DriverFailure] = []
    /// What the libraries log is reported too.
    package var reportsLog = false
    /// The worker can open the task's own files and no others, and no network.
    package var isSandboxed = false

    package init(_ task: WorkerTask, reportsLog: Bool = false, isSandboxed: Bool = false) {
        self.task = task
        self.reportsLog = reportsLog
        self.isSandboxed = isSandboxed
    }
}

/// What a worker reads after its order. The end of the pipe means that its owner is gone.
package struct WorkerCommand: Sendable, Hashable, Codable {
    package var cancel: Cancellation.Reason

    package init(cancel: Cancellation.Reason) { self.cancel = cancel }
}

/// All that is done in a process of its own, because it takes codecs or drivers.
package enum WorkerTask: Sendable, Hashable {
    case transcode(TranscodeRequest)
    /// The plan of a transcode; nothing is written.
    case plan(TranscodeRequest)
    /// Loads a render node's driver and asks it what it can do.
    case askDriver(node: String)
    case selfTest(SelfTestCase)
    case selfTestTranscode(SelfTestTranscode)
    case listNALUnits(NALDump)
    case compare(ComparisonJob)
    case drawThumbnail(ThumbnailJob)
    case extract(ExtractJob)
    case mux(MuxJob)
    /// The cameras and microphones of this machine.
    case listCaptureDevices
    case capture(CaptureRequest)
    case versions
    /// What drivers' answers mean.
    case assess([NodeSurvey])
    /// Unfinished transcodes in directories.
    case listUnfinished(directories: [String])
    case findUnfinished(UnfinishedName)
}

/// Which unfinished transcode is meant.
package struct UnfinishedName: Sendable, Hashable, Codable {
    /// Of the journal, or of the output.
    package var name: String
    package var journal: JournalRequest

    package init(_ name: String, _ journal: JournalRequest) {
        self.name = name
        self.journal = journal
    }
}

/// An object with one member, whose name says which task it is.
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

/// A request, and what of it is no setting.
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

/// Draws one picture of a video, small, as JPEG.
package struct ThumbnailJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    /// From the video's beginning; nil for a tenth of the way.
    package var seconds: Double?
    /// The longer side, in pixels. A smaller picture stays as it is.
    package var side = 320
    package var replaces = false

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }

    /// The longest side of a JPEG that is still small.
    package static let sides = 16...2048
}
