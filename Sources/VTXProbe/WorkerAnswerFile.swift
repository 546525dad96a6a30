import Glibc
package import VTXLibVA
import VTXMedia
import VTXSystem
package import VTXTask

/// Caches a worker's answer. It stays valid as long as the worker, its libraries and everything else that it depends on
/// are unchanged, so that the worker's two hundred libraries are loaded only once.
package struct WorkerAnswerFile<Answer: Codable & Sendable>: Sendable {
    private let path: String
    private let worker: String

    /// - Parameters:
    ///   - path: The path of the cache, a small JSON file.
    ///   - worker: The path of the worker.
    package init(_ path: String, worker: String) {
        self.path = path
        self.worker = worker
    }

    package struct Content: Codable, Sendable {
        /// The digest of everything that the answer depends on.
        var digest: String
        var answer: Answer
    }

    /// Returns the cached content, valid or not; nil if there is none.
    package func read() -> Content? {
        TextFile.read(path, limit: 1 << 20).flatMap { try? JSONLine.value(from: $0) }
    }

    /// - Parameter facts: What the answer depends on besides the worker.
    /// - Returns: nil if the worker must be asked.
    package func answer(for facts: [String] = [], in system: SystemView = .live) -> Answer? {
        answer(in: read(), for: facts, system)
    }

    private func answer(in content: Content?, for facts: [String], _ system: SystemView) -> Answer? {
        guard let content, content.digest == digest(facts, system) else { return nil }
        return content.answer
    }

    /// Caches the answer. Failures are ignored.
    package func keep(_ answer: Answer, for facts: [String] = [], in system: SystemView = .live) {
        let content = Content(digest: digest(facts, system), answer: answer)
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(JSONLine.text(content), to: path, replaces: true)
    }

    private func digest(_ facts: [String], _ system: SystemView) -> String {
        // These determine the libraries that the worker loads.
        let files = [worker, "/etc/ld.so.cache"].map { path in
            let status = FileStatus(path)
            return "\(path) \(status?.byteCount ?? 0) \(status?.modificationTime ?? 0)"
        }
        let libraries = system.environment("LD_LIBRARY_PATH") ?? ""
        let text = Array((facts + files + [libraries]).joined(separator: "\n").utf8)
        return "\(text.count) \(CRC32C(text.span.bytes).value)"
    }
}

/// The cached assessment of the drivers' answers; the drivers are still queried each time. The load of GPUs changes all
/// the time, but only decides which one is preferred. So a cached report stays valid as long as their order is the
/// same, and gets the current load.
extension WorkerAnswerFile<ProbeReport> {
    /// `assessment.json` in vtx's cache; nil if there is no cache directory.
    package static func assessment(by worker: String) -> WorkerAnswerFile? {
        Directory.cache.map { WorkerAnswerFile("\($0)/assessment.json", worker: worker) }
    }

    /// - Parameter content: The result of `read`.
    package func report(
        of answers: [NodeSurvey], in content: Content?, _ system: SystemView = .live
    ) -> ProbeReport? {
        // The reason why there is no GPU depends on much else.
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
    /// The nodes in the order of preference.
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
    /// The versions of the worker's libraries: `libraries.json` in vtx's cache; nil if there is no cache directory.
    package static func libraries(of worker: String) -> WorkerAnswerFile? {
        Directory.cache.map { WorkerAnswerFile("\($0)/libraries.json", worker: worker) }
    }
}
