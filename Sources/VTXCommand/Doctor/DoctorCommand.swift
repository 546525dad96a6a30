import Glibc
import VTXMedia
import VTXProbe
import VTXSystem
import VTXTask

struct DoctorSettings: CommandSettings {
    var device = DeviceSelector.auto
    var output: String?
    var overwrites = false
    var printsJSON = false

    init() {}
}

extension Grammar where Settings == DoctorSettings {
    static let doctor = Grammar(groups: [
        OptionGroup(
            "Options",
            [
                .value(
                    "device", .device, into: \.device,
                    "GPU to test: auto for all, a render node such as /dev/dri/renderD128, pci:ADDRESS, or vendor: "
                        + "followed by a name or a number."),
                .optional(
                    "output", .filePath("FILE"), into: \.output,
                    "The report to write. By default vtx-doctor-DATE.txt in the current directory."),
                .flag(
                    "overwrite", short: "y", sets: \.overwrites, to: true, "Replace an existing report."),
                .flag(
                    "json", sets: \.printsJSON, to: true,
                    "Print JSON records, one per line: each step, then the result."),
            ])
    ])
}

extension Command {
    static let doctor = Command(
        "doctor", "test everything and write a report for bug reports",
        details: [
            "Examines the system and its GPUs, tests everything that the drivers claim, and transcodes a short test "
                + "clip on each GPU and in software. Prints the results and writes them, with all details, to one "
                + "file.",
            "The file has versions, GPUs, drivers' answers, and user and group IDs, but no user or host names. The "
                + "exit code is 0 if everything works, 5 if a GPU fails or there is none, and 1 if software encoding "
                + "fails.",
        ],
        grammar: .doctor,
        examples: [
            Example("vtx doctor", "Writes vtx-doctor-DATE.txt"),
            Example("vtx doctor --output report.txt -y", "Choose the report's name"),
        ],
        run: { settings, console throws(UsageError) in
            DoctorRun(settings: settings, console: console).run()
        })
}

struct DoctorRun: Sendable {
    let settings: DoctorSettings
    let console: Console
    /// Runs the examination; tests replace it.
    var examination: @Sendable (DoctorSettings) throws(TranscodeError) -> DoctorExamination = DoctorExamination.live
    var date = Today.now
    var home = getenv("HOME").map { String(cString: $0) }

    func run() -> ExitCode {
        do throws(TranscodeError) {
            let path = settings.output ?? "vtx-doctor-\(date.day).txt"
            let policy: OverwritePolicy = settings.overwrites ? .replace : .refuse
            _ = try reportingOutputErrors { () throws(AtomicFileError) in try AtomicFile.isWanted(path, policy) }
            let examination = try examination(settings)
            let steps = try examination.run { step in
                console.output.write(settings.printsJSON ? StepRecord(step).line : DoctorText.line(for: step))
            }
            let text = DoctorText.report(
                steps, answers: examination.answers(), date: "\(date.day) \(date.time) UTC", home: wordyHome)
            try reportingOutputErrors { () throws(AtomicFileError) in
                try AtomicFile.write(text, to: path, replaces: settings.overwrites)
            }
            return report(steps, path)
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    /// nil for a home such as `/`, which would hide every path.
    private var wordyHome: String? { home.flatMap { $0.count > 2 ? $0 : nil } }

    private func report(_ steps: [DoctorStep], _ path: String) -> ExitCode {
        console.say(nil, "the report is in '\(path)'")
        guard let error = Self.failure(of: steps) else {
            if settings.printsJSON { console.output.write(ResultRecord.written(path).line) }
            return .success
        }
        console.explain(error)
        if settings.printsJSON { console.output.write(ResultRecord(error, output: path).line) }
        return error.exitCode
    }

    /// Broken software is worse than a broken GPU.
    static func failure(of steps: [DoctorStep]) -> TranscodeError? {
        let failed = steps.filter { $0.verdict == .failed }
        if let worst = failed.first(where: { $0.isSoftware }) {
            return TranscodeError(.doctorSoftware, "\(worst.name): \(worst.summary)")
        }
        guard let first = failed.first else { return nil }
        let more = failed.count > 1 ? " (and \(failed.count - 1) more)" : ""
        return TranscodeError(
            .doctorHardware, "\(first.name): \(first.summary)\(more)", hint: "the report has the details")
    }
}

/// The date and time of a report.
struct Today: Sendable {
    var day: String
    var time: String

    static var now: Today {
        var clock = time_t()
        Glibc.time(&clock)
        var parts = tm()
        gmtime_r(&clock, &parts)
        let numbers = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min].map { Format.twoDigits(Int($0)) }
        return Today(day: "\(parts.tm_year + 1900)-\(numbers[0])-\(numbers[1])", time: "\(numbers[2]):\(numbers[3])")
    }
}

extension DoctorExamination {
    static let live: @Sendable (DoctorSettings) throws(TranscodeError) -> DoctorExamination = {
        settings throws(TranscodeError) in
        let processes = try ProbeProcesses.live()
        let heard = Locked<[(node: String, text: String)]>([])
        let ask: Probe.Ask = { nodes throws(TranscodeError) in
            let answers = try processes.ask(nodes)
            let texts = zip(nodes, answers).compactMap { node, answer in answer.answers.map { (node, $0) } }
            heard.withLock { $0 += texts }
            return answers
        }
        return DoctorExamination(
            libraries: try processes.libraries(), system: HostReport.all,
            probe: { () throws(TranscodeError) in
                try Probe(ask: ask, assess: processes.assess, attempt: processes.attempt).run(device: settings.device)
            },
            transcode: processes.transcode, answers: { heard.withLock { $0 } })
    }
}

/// Formats the report of `vtx doctor`, and the summary that it prints.
enum DoctorText {
    static func line(for step: DoctorStep) -> String {
        "\(step.verdict.rawValue.padded(to: 7))  \(step.name): \(step.summary)".printable + "\n"
    }

    /// - Parameters:
    ///   - home: The user's home directory, which is private; nil if there is none.
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
