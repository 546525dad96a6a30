import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

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
