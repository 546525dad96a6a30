import FoundationEssentials
import Glibc
import VTX
import VTXTask
import VTXTranscode

/// What a child of `vtx probe` and `vtx doctor` is started for: one thing that may bring the process down.
enum ProbeTask: Codable, Sendable {
    /// Ask a render node's driver what it can do.
    case ask(String)
    case attempt(SelfTestCase)
    case transcode(SelfTestTranscode)

    /// In the environment of the child.
    static let variable = "VTX_PROBE_TASK"

    /// What this process is to do; nil where it is not a child.
    static func inherited(_ link: WorkerLink?) -> ProbeTask? {
        guard link != nil, let text = getenv(variable) else { return nil }
        return try? JSONDecoder().decode(ProbeTask.self, from: Data(String(cString: text).utf8))
    }

    /// Does it, and tells the parent what came of it.
    func perform(_ link: WorkerLink) -> ExitCode {
        // A parent that is gone wants no answer.
        link.endWithSupervisor()
        switch self {
        case .ask(let node): link.answer(NodeProbe(asking: node))
        case .attempt(let task): link.answer(task.run())
        case .transcode(let task): link.answer(task.run())
        }
        return .success
    }
}

extension WorkerLink {
    fileprivate func answer(_ answer: some Encodable) {
        guard let data = try? JSONEncoder().encode(answer) else { return }
        send(text: String(decoding: data, as: UTF8.self))
    }
}
