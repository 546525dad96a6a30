import Glibc
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXWorker

/// Tests of a supervisor's decisions, event by event.
protocol SupervisionSuite {
    var state: Supervision { get set }
}

extension SupervisionSuite {
    static var aborted: ProcessEnding { .killed(signal: SIGABRT) }

    static func progress(_ phase: Progress.Phase, _ frames: Int) -> WorkerEvent {
        .transcode(
            .progress(
                Progress(
                    phase: phase, frames: frames, totalFrames: nil, seconds: Double(frames) / 25, totalSeconds: nil,
                    elapsedSeconds: 1, bytes: 1000)))
    }

    static func planned(usesHardware: Bool) -> WorkerEvent {
        .transcode(.planned(.example(usesHardware: usesHardware)))
    }

    static func failed(_ kind: ErrorKind) -> WorkerEvent { .failed(TranscodeError(kind, "words")) }

    /// The events of a worker that transcodes with a GPU.
    static func onGPU(_ frames: Int) -> [WorkerEvent] {
        [planned(usesHardware: true), .writing("out.mp4"), progress(.transcoding, frames)]
    }

    /// The decision at the process's end, after the events.
    mutating func end(
        after events: [WorkerEvent] = [], _ ending: ProcessEnding, finished: Int64? = nil
    ) -> String {
        events.forEach { _ = state.handle(.report($0)) }
        return state.handle(.ended(ending, finished: finished)).words
    }

    mutating func tick(_ seconds: Double, _ activity: ProcessActivity = .idle) -> String {
        state.handle(.tick(seconds: seconds, activity)).words
    }
}

extension Supervision.Action {
    /// A short description for comparisons.
    var words: String {
        switch self {
        case .wait: "wait"
        case .cancel(let reason): "cancel \(reason)"
        case .kill: "kill"
        case .giveUpWaiting: "give up"
        case .restart(let fault): "restart: \(fault.description)"
        case .finish(.failure(let error)): "failed \(error.code)"
        case .finish(.success(.result(let result))): "result \(result.outcome) \(result.output) \(result.frames)"
        case .finish(.success(let event)): "\(event)"
        }
    }
}
