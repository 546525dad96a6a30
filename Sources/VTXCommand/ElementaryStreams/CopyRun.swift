import VTXTask
import VTXTranscode
import VTXSystem

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
        [
            .flag(
                "overwrite", short: "y", sets: overwrite, to: .replace,
                "Replace an existing output, once the new file is whole and checked."),
            .flag(
                "no-clobber", short: "n", sets: overwrite, to: .skip,
                "Leave an existing output alone and end with exit code 0."),
            .flag(
                "json", sets: \.printsJSON, to: true,
                "Print JSON records to standard output, one a line; the last has the type \"result\"."),
            .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
        ]
    }
}

extension OptionRules {
    static let copying = OptionRules(exclusive: [["overwrite", "no-clobber"]])
}

/// One run of such a command.
struct CopyRun: Sendable {
    private let reporter: any Reporter
    private let work: @Sendable (Cancellation) throws(TranscodeError) -> TranscodeResult
    /// See `StopSignals.watch`.
    var watchSignals:
        @Sendable (
            _ first: @escaping @Sendable (StopSignal) -> Void,
            _ second: @escaping @Sendable (StopSignal) -> Void
        ) -> Void = StopSignals.watch

    init(
        _ settings: some CopyingSettings, _ console: Console,
        work: @escaping @Sendable (Cancellation) throws(TranscodeError) -> TranscodeResult
    ) {
        let style = TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: false, showsSummary: !settings.isQuiet, drawsBar: false,
            printsBlocks: false)
        reporter = settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
        self.work = work
    }

    func run() -> ExitCode {
        let (reporter, cancellation) = (reporter, Cancellation())
        watchSignals(
            { stop in
                cancellation.cancel(stop.reason)
                reporter.stopping()
            },
            { stop in reporter.fail(stop.error) })
        do {
            let result = try work(cancellation)
            reporter.finish(result)
            return result.exitCode
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }
}
