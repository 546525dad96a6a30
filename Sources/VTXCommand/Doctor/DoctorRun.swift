import Glibc
import VTXProbe
import VTXMedia
import VTXTask
import VTXSystem

/// One run of `vtx doctor`, from the settings to the exit code.
struct DoctorRun: Sendable {
    let settings: DoctorSettings
    let console: Console
    /// What examines; tests replace it.
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
            return tell(steps, path)
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    /// Of a home such as `/` every path would be hidden.
    private var wordyHome: String? { home.flatMap { $0.count > 2 ? $0 : nil } }

    private func tell(_ steps: [DoctorStep], _ path: String) -> ExitCode {
        console.say(nil, "the report is in '\(path)'")
        guard let error = Self.failure(of: steps) else {
            if settings.printsJSON { console.output.write(ResultRecord.written(path).line) }
            return .success
        }
        console.explain(error)
        if settings.printsJSON { console.output.write(ResultRecord(error, output: path).line) }
        return error.exitCode
    }

    /// A software that does not work is worse than a GPU that does not.
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

/// The day and the time that a report is of.
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
