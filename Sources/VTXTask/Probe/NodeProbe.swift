/// What came of asking one render node's driver: text, so that it can be asked in another process.
package struct NodeProbe: Sendable, Hashable, Codable {
    /// All that the driver said, in the format of `DriverCapabilities.text`; nil where there is no driver that answers.
    package var answers: String?
    package var problems: [Problem]

    package init(answers: String? = nil, problems: [Problem]) {
        self.answers = answers
        self.problems = problems
    }
}
