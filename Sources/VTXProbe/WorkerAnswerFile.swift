import Glibc
package import VTXLibVA
import VTXMedia
import VTXSystem
package import VTXTask

/// What a worker answered before. As long as the worker, its libraries and all else that the answer depends on are the
/// same, so is the answer, and two hundred libraries are loaded once.
package struct WorkerAnswerFile<Answer: Codable & Sendable>: Sendable {
    private let path: String
    private let worker: String

    /// - Parameters:
    ///   - path: of a small JSON file.
    ///   - worker: the program that answers.
    package init(_ path: String, worker: String) {
        self.path = path
        self.worker = worker
    }

    package struct Content: Codable, Sendable {
        /// Of all that the answer depends on.
        var digest: String
        var answer: Answer
    }

    /// What is kept, whatever it depends on; nil where nothing is.
    package func read() -> Content? {
        TextFile.read(path, limit: 1 << 20).flatMap { try? JSONLine.value(from: $0) }
    }

    /// - Parameter facts: what it depends on, beyond the worker.
    /// - Returns: nil where the worker has to be asked.
    package func answer(for facts: [String] = [], in system: SystemView = .live) -> Answer? {
        answer(in: read(), for: facts, system)
    }

    private func answer(in content: Content?, for facts: [String], _ system: SystemView) -> Answer? {
        guard let content, content.digest == digest(facts, system) else { return nil }
        return content.answer
    }

    /// Silent where it cannot.
    package func keep(_ answer: Answer, for facts: [String] = [], in system: SystemView = .live) {
        let content = Content(digest: digest(facts, system), answer: answer)
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(JSONLine.text(content), to: path, replaces: true)
    }

    private func digest(_ facts: [String], _ system: SystemView) -> String {
        // What the worker is linked with at its start follows from these.
        let files = [worker, "/etc/ld.so.cache"].map { path in
            let status = FileStatus(path)
            return "\(path) \(status?.byteCount ?? 0) \(status?.modificationTime ?? 0)"
        }
        let libraries = system.environment("LD_LIBRARY_PATH") ?? ""
        let text = Array((facts + files + [libraries]).joined(separator: "\n").utf8)
        return "\(text.count) \(CRC32C(text.span.bytes).value)"
    }
}

/// What drivers' answers mean: the drivers are asked each time. How busy GPUs are changes all the time, and only says which
/// of several is used: what is kept holds as long as their order is the same, and gets the numbers of now.
extension WorkerAnswerFile<ProbeReport> {
    /// `assessment.json` in vtx's cache; nil where there is none.
    package static func assessment(by worker: String) -> WorkerAnswerFile? {
        Directory.cache.map { WorkerAnswerFile("\($0)/assessment.json", worker: worker) }
    }

    /// - Parameter content: what `read` has found.
    package func report(
        of answers: [NodeSurvey], in content: Content?, _ system: SystemView = .live
    ) -> ProbeReport? {
        // Why there is no GPU depends on much else.
        guard !answers.isEmpty, var report = answer(in: content, for: Self.facts(answers, system), system) else {
            return nil
        }
        for answer in answers {
            guard let index = report.devices.firstIndex(where: { $0.device == answer.path }) else { continue }
            report.devices[index].otherProcesses = answer.processes
            report.devices[index].busyPercent = answer.busyPercent
        }
        return report
    }

    package func keep(_ report: ProbeReport, of answers: [NodeSurvey], in system: SystemView = .live) {
        keep(report, for: Self.facts(answers, system), in: system)
    }

    private static func facts(_ answers: [NodeSurvey], _ system: SystemView) -> [String] {
        let nodes = RenderNode.all(in: system).map { node in
            "\(node.path) \(node.selectors.map(\.description).sorted()) \(node.kernelDriver ?? "") \(node.cardPath ?? "")"
                + " \(node.deviceID?.description ?? "")"
        }
        return answers.flatMap(\.facts) + nodes + answers.leastBusyFirst
    }
}

extension [NodeSurvey] {
    /// The nodes in the order in which their GPUs are chosen.
    fileprivate var leastBusyFirst: [String] {
        enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element.path)
    }
}

extension NodeSurvey {
    fileprivate var rank: Int { RenderNodeLoad(processes: processes, busyPercent: busyPercent).rank }

    fileprivate var facts: [String] {
        [path, probe.answers ?? ""]
            + probe.problems.flatMap { [$0.kind, "\($0.message)", $0.hint.map { "\($0)" } ?? ""] }
    }
}

extension WorkerAnswerFile<[LibraryVersion]> {
    /// The versions of its libraries, `libraries.json` in vtx's cache; nil where there is none.
    package static func libraries(of worker: String) -> WorkerAnswerFile? {
        Directory.cache.map { WorkerAnswerFile("\($0)/libraries.json", worker: worker) }
    }
}
