package import VTXLibVA
package import VTXTask

extension NodeProbe {
    /// Loads the driver of a render node and asks it everything. The driver may crash, or never come back.
    ///
    /// - Parameter report: gets the answers before the driver is closed, at which it may crash too.
    package static func ask(_ path: String, report: (NodeProbe) -> Void) {
        guard let node = RenderNode.all().first(where: { $0.path == path }) else {
            return report(NodeProbe(problems: [Problem(kind: "nodeGone", message: "\(path) is not there any more")]))
        }
        NodeReport.probing(node) { report(NodeProbe($0)) }
    }

    private init(_ report: NodeReport) {
        self.init(answers: report.answers?.text, problems: report.diagnoses.map(Problem.init))
    }
}

extension Problem {
    package init(_ diagnosis: Diagnosis) {
        self.init(kind: diagnosis.kind.rawValue, message: diagnosis.sentence, hint: diagnosis.hint)
    }
}
