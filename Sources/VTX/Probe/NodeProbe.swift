import VTXLibVA

/// What came of asking one render node's driver: text, so that it can be asked in another process.
package struct NodeProbe: Sendable, Hashable, Codable {
    /// All that the driver said, in the format of `DriverCapabilities.text`; nil where there is no driver that answers.
    package var answers: String?
    package var problems: [Problem]

    package init(answers: String? = nil, problems: [Problem]) {
        self.answers = answers
        self.problems = problems
    }

    /// Loads the driver of a render node and asks it everything. The driver may crash, or never come back.
    package init(asking path: String) {
        guard let node = RenderNode.all().first(where: { $0.path == path }) else {
            self.init(problems: [Problem(kind: "nodeGone", message: "\(path) is not there any more")])
            return
        }
        let report = NodeReport(probing: node)
        self.init(answers: report.answers?.text, problems: report.diagnoses.map(Problem.init))
    }
}

extension Problem {
    init(_ diagnosis: Diagnosis) {
        self.init(kind: diagnosis.kind.rawValue, message: diagnosis.sentence, hint: diagnosis.hint)
    }
}
