import VTXJSON
import VTXTask

extension Schema {
    /// What `settings` of a job may be: the catalogue's options, checked as `vtx transcode` checks them.
    static let settings = named(
        "Settings",
        .checked(json: OptionCatalogue.schema) { value, pointer in
            guard let values = value.object else { return [Schema.anything.wrong(value, "an object", pointer)] }
            return OptionCatalogue.problems(in: values).map { SchemaProblem($0, below: pointer) }
        })
}

extension SchemaProblem {
    fileprivate init(_ problem: OptionCatalogue.Problem, below pointer: String) {
        let hint = problem.error.hint.map { "; \($0)" } ?? ""
        self.init(
            pointer + (problem.name.map { "/" + $0.pointerEscaped } ?? ""), "\(problem.error.message)\(hint)",
            isSentence: true)
    }
}
