import Glibc
package import VTXLibVA
import VTXMedia
import VTXSystem
package import VTXTask

/// What a worker made of drivers' answers before. As long as the answers, the worker and its libraries are the same, so
/// is what it makes of them: the drivers are asked each time, and two hundred libraries are loaded once.
package struct AssessmentFile: Sendable {
    private let path: String
    private let worker: String

    /// - Parameters:
    ///   - path: of a small JSON file.
    ///   - worker: the program that assesses.
    package init(_ path: String, worker: String) {
        self.path = path
        self.worker = worker
    }

    /// `assessment.json` in vtx's cache; nil where there is none.
    package static func standard(worker: String) -> AssessmentFile? {
        Directory.cache.map { AssessmentFile("\($0)/assessment.json", worker: worker) }
    }

    private struct Content: Codable {
        /// Of all that the report depends on.
        var digest: String
        var report: ProbeReport
    }

    /// nil where it has to be made.
    package func report(of answers: [NodeSurvey], in system: SystemView = .live) -> ProbeReport? {
        // Why there is no GPU depends on much else.
        guard !answers.isEmpty, let text = TextFile.read(path, limit: 1 << 20),
            let content: Content = try? JSONLine.value(from: text),
            content.digest == digest(answers, system)
        else { return nil }
        return content.report
    }

    /// Silent where it cannot.
    package func keep(_ report: ProbeReport, of answers: [NodeSurvey], in system: SystemView = .live) {
        let content = Content(digest: digest(answers, system), report: report)
        try? Directory.make(FileName.directory(of: path).directory)
        try? AtomicFile.write(JSONLine.text(content), to: path, replaces: true)
    }

    private func digest(_ answers: [NodeSurvey], _ system: SystemView) -> String {
        let nodes = RenderNode.all(in: system).map { node in
            "\(node.path) \(node.selectors.map(\.description).sorted()) \(node.kernelDriver ?? "") \(node.cardPath ?? "")"
                + " \(node.deviceID?.description ?? "")"
        }
        // What the worker is linked with at its start follows from these.
        let files = [worker, "/etc/ld.so.cache"].map { path in
            let status = VTXSystem.FileStatus(path)
            return "\(path) \(status?.byteCount ?? 0) \(status?.modificationTime ?? 0)"
        }
        let libraries = system.environment("LD_LIBRARY_PATH") ?? ""
        let facts = [JSONLine.text(answers)] + nodes + files + [libraries]
        return SHA256.hexadecimal(facts.joined(separator: "\n").utf8)
    }
}
