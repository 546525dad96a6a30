import VTXMedia
import VTXTask
import VTXTranscode

/// What a worker tells its supervisor, one line each. Both ends are the same program, so there is no version.
enum WorkerRecord: Sendable, Hashable {
    /// The driver of this GPU is called for something else than before.
    case using(device: String)
    /// What will be done is decided: whether a GPU takes part in it, and what comes out.
    case planned(usesHardware: Bool, codec: VideoCodec?)
    /// From here on there may be an unfinished file for this output.
    case writing(output: String)
    case progress(WorkerProgress)
    /// The user has been told how it went; all that is left is the end of the process.
    case ended(ExitCode)
}

/// How far a worker is.
struct WorkerProgress: Sendable, Hashable {
    var phase: Progress.Phase
    var frames: Int
    /// Bytes written so far: audio that moves on is a sign of life as well.
    var bytes: Int64
    /// Output time reached.
    var milliseconds: Int
}

extension WorkerRecord {
    /// The line, without its end.
    var line: String {
        switch self {
        case .using(let device): "using \(device.onOneLine)"
        case .planned(let usesHardware, let codec):
            "planned \(usesHardware ? "gpu" : "software") \(codec?.rawValue ?? "-")"
        case .writing(let output): "writing \(output.onOneLine)"
        case .progress(let now):
            "progress \(now.phase.rawValue) \(now.frames) \(now.bytes) \(now.milliseconds)"
        case .ended(let code): "ended \(code.rawValue)"
        }
    }

    /// nil for what is no record: a driver may print into any descriptor.
    init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        let rest = words[1]
        switch words[0] {
        case "using" where !rest.isEmpty: self = .using(device: String(rest).fromOneLine)
        case "planned":
            guard let plan = Self(plan: rest) else { return nil }
            self = plan
        case "writing" where !rest.isEmpty: self = .writing(output: String(rest).fromOneLine)
        case "progress":
            guard let progress = WorkerProgress(rest) else { return nil }
            self = .progress(progress)
        case "ended":
            guard let code = Int32(rest).flatMap(ExitCode.init) else { return nil }
            self = .ended(code)
        default: return nil
        }
    }
}

extension WorkerRecord {
    private init?(plan text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == "gpu" || words[0] == "software" else { return nil }
        let codec = VideoCodec(rawValue: String(words[1]))
        guard codec != nil || words[1] == "-" else { return nil }
        self = .planned(usesHardware: words[0] == "gpu", codec: codec)
    }
}

extension WorkerProgress {
    fileprivate init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let phase = Progress.Phase(rawValue: String(words[0])),
            let frames = Int(words[1]), let bytes = Int64(words[2]), let milliseconds = Int(words[3])
        else { return nil }
        self.init(phase: phase, frames: frames, bytes: bytes, milliseconds: milliseconds)
    }

    init(_ progress: Progress) {
        // A clock gone wild must not end the program.
        let milliseconds = Int(exactly: (progress.seconds * 1000).rounded()) ?? 0
        self.init(
            phase: progress.phase, frames: progress.frames, bytes: progress.bytes, milliseconds: milliseconds)
    }
}

extension String {
    /// A file's name may hold a newline.
    fileprivate var onOneLine: String {
        replacing("%", with: "%25").replacing("\n", with: "%0A")
    }

    fileprivate var fromOneLine: String {
        replacing("%0A", with: "\n").replacing("%25", with: "%")
    }
}
