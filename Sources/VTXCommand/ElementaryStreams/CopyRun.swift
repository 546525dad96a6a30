import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// What commands have in common that write a file and code nothing again.
protocol CopyingSettings: Sendable {
    var printsJSON: Bool { get set }
    var isQuiet: Bool { get set }
}

extension Array {
    /// The options about the output, and about what is said of it.
    static func copying<Settings: CommandSettings & CopyingSettings>(
        overwrite: any Option<Settings>.Path<OverwritePolicy>
    ) -> Self where Element == Option<Settings> {
        overwriting(overwrite) + [
            .json(sets: \.printsJSON),
            .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
        ]
    }

    /// The same flags as those of `vtx transcode`.
    private static func overwriting<Settings: CommandSettings>(
        _ path: any Option<Settings>.Path<OverwritePolicy>
    ) -> Self where Element == Option<Settings> {
        FlagSpelling.shorthands.filter { $0.option == .overwrite }.compactMap { flag in
            OverwritePolicy(rawValue: flag.value).map {
                .flag(flag.long, short: flag.short, sets: path, to: $0, flag.help)
            }
        }
    }
}

extension OptionRules {
    static let copying = OptionRules(exclusive: [["overwrite", "no-clobber"]])
}

/// One run of such a command.
struct CopyRun: Sendable {
    private let task: WorkerTask
    private let reporter: any Reporter
    private let workers: Workers

    init(_ task: WorkerTask, _ settings: some CopyingSettings, _ console: Console) {
        self.task = task
        let style = TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: false, showsSummary: !settings.isQuiet, drawsBar: false,
            printsBlocks: false)
        reporter = settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
        workers = .live(console)
    }

    func run() -> ExitCode {
        do throws(TranscodeError) {
            let last = try workers.run(
                WorkerOrder(task), Supervision.Policy(mayUseHardware: false), CopyListener(reporter)
            ).get()
            guard case .result(let result) = last else { return .success }
            reporter.finish(result)
            return result.exitCode
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }
}

/// Tells the user that the work stops; all else comes with the result.
private final class CopyListener: WorkerListener {
    private let reporter: any Reporter

    init(_ reporter: any Reporter) { self.reporter = reporter }

    func report(_ event: WorkerEvent) -> Bool { true }
    func stopping() { reporter.stopping() }
}
