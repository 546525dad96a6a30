import VTXTask

/// The report that `vtx doctor` writes, and the summary that it prints.
enum DoctorText {
    static func line(for step: DoctorStep) -> String {
        "\(step.verdict.rawValue.padded(to: 7))  \(step.name): \(step.summary)".printable + "\n"
    }

    /// - Parameters:
    ///   - home: the user's directory, which is private; nil where there is none.
    static func report(
        _ steps: [DoctorStep], answers: [(node: String, text: String)], date: String, home: String?
    ) -> String {
        let sections = steps.filter { !$0.details.isEmpty }.map { section($0.name, $0.details) }
        let spoken = answers.map { section("What the driver of \($0.node) answers", $0.text) }
        let text =
            heading(date) + section("Summary", steps.map(line).joined()) + sections.joined() + spoken.joined()
        return home.map { text.replacing($0, with: "~") } ?? text
    }

    private static func heading(_ date: String) -> String {
        """
        vtx doctor, \(date)

        To attach to a bug report. It holds versions, the kernel's and the distribution's names, the processor, the GPUs
        and all that their drivers say, the numbers of user and groups, and the variables that drivers obey. It
        holds no name of a user or of the machine, and nothing of any video.

        """
    }

    private static func section(_ title: String, _ text: String) -> String {
        "\n== \(title)\n\n\(text.hasSuffix("\n") ? text : text + "\n")"
    }
}
