import VTXMedia
import VTXSystem
import VTXTask

/// The settings of `vtx transcode`: the request, and how to report.
struct TranscodeSettings: CommandSettings {
    var request = TranscodeRequest(input: "")

    /// The name of a preset; nil for none.
    var presetName: String?
    var keepsJournal = true
    var restarts = false
    /// The directory of journals; nil for the output's.
    var workDirectory: String?

    /// The path of the receipt; nil for none.
    var receipt: String?

    /// Whether all arguments except the last are inputs to be joined into one output.
    var joinsInputs = false
    var outputDirectory: String?
    /// The number of parallel transcodes of several inputs.
    var jobs = JobCount.count(1)
    /// The arguments after the first two, if there are several inputs.
    var furtherInputs: [String] = []
    /// The options, verbatim.
    var optionArguments: [String] = []

    var isSandboxed = false
    var explains = false
    var printsJSON = false
    var isQuiet = false
    var isVerbose = false
    var progress: ProgressStyle = .auto

    init() {}
}

/// How the progress of a transcode is shown.
enum ProgressStyle: String, Sendable, CaseIterable {
    /// A bar on a terminal, nothing elsewhere.
    case auto
    /// A bar, even if stderr does not look like a terminal.
    case bar
    /// ffmpeg's `key=value` blocks on stdout, for programs that parse them.
    case ffmpeg
    /// The progress records of `--json` on stdout; everything else remains text on stderr.
    case json
    case none
}

extension TranscodeSettings {
    /// Returns the settings after checking the combinations of values.
    func checked() throws(UsageError) -> TranscodeSettings {
        var settings = try applyingPreset()
        if joinsInputs { try settings.join() }
        if settings.request.replacesSource, !joinsInputs { settings.takeOutputAsInput() }
        do throws(TranscodeError) { try settings.request.check() } catch { throw .request(error) }
        if printsJSON, progress == .ffmpeg {
            throw .contradiction("--json and --progress ffmpeg both use standard output", hint: nil)
        }
        if joinsInputs || request.usesPipe {
            guard !restarts, workDirectory == nil else {
                throw .contradiction(
                    "a transcode of a pipe or of several files keeps no journal, which --restart and --work-dir require",
                    hint: nil)
            }
        } else if keepsJournal {
            settings.request.journal = journal
        }
        return settings
    }

    /// The last argument is the output.
    private mutating func join() throws(UsageError) {
        var arguments = [request.input] + [request.output].compactMap(\.self) + furtherInputs
        guard let output = arguments.popLast(), arguments.count > 1 else {
            throw .contradiction("--concat takes two inputs or more, and the output after them", hint: nil)
        }
        (request.input, request.output) = (arguments.removeFirst(), output)
        (request.appended, furtherInputs) = (arguments, [])
    }

    /// Without an output, every argument is an input.
    private mutating func takeOutputAsInput() {
        furtherInputs = [request.output].compactMap(\.self) + furtherInputs
        request.output = nil
    }

    /// Returns the plan of a batch: with an output directory, or if several inputs are replaced. nil for a single
    /// input.
    func batch() throws(UsageError) -> BatchPlan? {
        let inputs = [request.input] + [request.output].compactMap(\.self) + furtherInputs
        let isBatch = request.replacesSource && (inputs.count > 1 || FileStatus(request.input)?.kind == .directory)
        guard outputDirectory != nil || isBatch else {
            if let argument = furtherInputs.first { throw .unexpectedInput(argument) }
            if jobs != .count(1) { throw .contradiction("--jobs needs several inputs", hint: "see --output-dir") }
            return nil
        }
        guard !inputs.contains(StandardStream.path) else {
            throw .contradiction(
                "standard input cannot be one of several inputs", hint: "use a separate command for it")
        }
        guard let outputDirectory else {
            try checkSingles()
            return try BatchPlan(replacing: inputs, codec: request.codec ?? request.profile?.codec)
        }
        return try BatchPlan(inputs, to: outputDirectory, codec: request.codec, format: request.format)
    }

    /// Rejects options about a single source. Together with an output directory the grammar does.
    private func checkSingles() throws(UsageError) {
        let given = Set(optionArguments.map { $0.prefix { $0 != "=" } })
        guard let option = TranscodeGrammar.ofOneSource.first(where: { given.contains("--\($0)") }) else { return }
        throw .contradiction("--\(option) needs a single input", hint: "use a separate command for each input")
    }

    private var journal: JournalRequest {
        var journal = JournalRequest.here
        (journal.directory, journal.startsOver) = (workDirectory, restarts)
        let options = optionArguments.filter { $0 != "--restart" && !$0.hasPrefix("--output-dir=") }
        journal.command = options + ["--", request.input] + [request.output].compactMap(\.self)
        return journal
    }
}
