package import VTXLibVA
package import VTXTask

extension NodeProbe {
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
    package init(_ diagnosis: Diagnosis) {
        self.init(kind: diagnosis.kind.rawValue, message: diagnosis.sentence, hint: diagnosis.hint)
    }
}
