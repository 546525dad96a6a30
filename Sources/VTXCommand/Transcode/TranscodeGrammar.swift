import VTXMedia
import VTXSystem
import VTXTask

/// What `vtx transcode` was told: the request, and how to talk about it.
struct TranscodeSettings: CommandSettings {
    var request = TranscodeRequest(input: "")

    /// Of a preset; nil for none.
    var presetName: String?
    var keepsJournal = true
    var restarts = false
    /// Where journals are; nil for beside the output.
    var workDirectory: String?

    /// Where the receipt goes; nil for none.
    var receipt: String?

    /// All arguments but the last are inputs, which follow each other in one output.
    var joinsInputs = false
    var outputDirectory: String?
    /// Inputs that are transcoded at one time, with `outputDirectory`.
    var jobs = JobCount.count(1)
    /// Arguments after the first two, with `outputDirectory` or `joinsInputs`.
    var furtherInputs: [String] = []
    /// The options, as they were given.
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
    /// A bar, even where stderr does not look like a terminal.
    case bar
    /// ffmpeg's `key=value` blocks on stdout, for programs that read those.
    case ffmpeg
    case none
}

extension TranscodeSettings {
    /// Itself, once the values have been held against each other.
    func checked() throws(UsageError) -> TranscodeSettings {
        var settings = try applyingPreset()
        if joinsInputs { try settings.join() }
        do throws(TranscodeError) { try settings.request.check() } catch { throw .request(error) }
        if printsJSON, progress == .ffmpeg {
            throw .contradiction("--json and --progress ffmpeg both want standard output", hint: nil)
        }
        if joinsInputs || request.usesPipe {
            guard !restarts, workDirectory == nil else {
                throw .contradiction(
                    "a transcode of a pipe, or of several files, keeps no journal; --restart and --work-dir are about one",
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

    /// With an output directory, what becomes of its inputs; nil for one input.
    func batch() throws(UsageError) -> BatchPlan? {
        guard let outputDirectory else {
            if let argument = furtherInputs.first { throw .unexpectedInput(argument) }
            return nil
        }
        let inputs = [request.input] + [request.output].compactMap(\.self) + furtherInputs
        guard !inputs.contains(StandardStream.path) else {
            throw .contradiction(
                "--output-dir takes files, and no standard input", hint: "give it a command of its own")
        }
        return try BatchPlan(inputs, to: outputDirectory, codec: request.codec, format: request.format)
    }

    private var journal: JournalRequest {
        var journal = JournalRequest.here
        (journal.directory, journal.startsOver) = (workDirectory, restarts)
        let options = optionArguments.filter { $0 != "--restart" && !$0.hasPrefix("--output-dir=") }
        journal.command = options + ["--", request.input] + [request.output].compactMap(\.self)
        return journal
    }
}

/// `vtx transcode`'s command line: the catalogue's options as flags, and what only a command line needs.
extension Grammar where Settings == TranscodeSettings {
    static let transcode = Grammar(
        positionals: [
            .required(.inputPath("INPUT"), into: \.request.input, "The file to read, or - for standard input."),
            .optional(
                .outputPath("OUTPUT"), into: \.request.output,
                "The file to write; its extension chooses the container. By default a name beside the input. - is "
                    + "standard output. With --output-dir and --concat there may be more inputs."),
        ],
        groups: OptionCatalogue.Group.allCases.map { group in
            let flags = CatalogueFlags.options(of: group, into: \TranscodeSettings.request)
            return OptionGroup(
                group.rawValue,
                group == .coding
                    ? [preset] + flags
                    : group == .output
                        ? [concat, outputDirectory, jobs] + flags + journal + [receipt, sandbox, segment, join]
                            + talking : flags)
        },
        rules: OptionRules(
            exclusive: CatalogueFlags.exclusive + [
                ["quiet", "verbose"], ["receipt", "output-dir"], ["replace", "output-dir"], ["jobs", "json"],
                ["segment", "join"], ["segment", "segments"], ["segment", "parallel"], ["join", "parallel"],
                ["segment", "output-dir"], ["join", "output-dir"], ["segment", "concat"], ["join", "concat"],
                ["segment", "restart"], ["join", "restart"],
                ["concat", "output-dir"], ["concat", "receipt"], ["concat", "replace"],
                // They belong to one source.
                ["add-audio", "output-dir"], ["add-subtitles", "output-dir"],
            ]
                + ["restart", "work-dir", "replace"].map { ["no-journal", $0] }
                // One directory is made of one source, and keeps no journal.
                + ["hls", "dash", "ladder"].flatMap { ladder in
                    ["output-dir", "receipt", "restart", "work-dir"].map { [ladder, $0] }
                },
            requirements: OptionCatalogue.requirements.map {
                OptionRules.Requirement(option: FlagSpelling.long($0.option), needs: FlagSpelling.long($0.needs))
            } + [
                OptionRules.Requirement(option: "jobs", needs: "output-dir"),
                OptionRules.Requirement(option: "join", needs: "segments"),
            ]),
        further: \TranscodeSettings.furtherInputs, record: \TranscodeSettings.optionArguments)

    private static let preset: Option<TranscodeSettings> = .optional(
        "for", .preset, into: \.presetName,
        "Take the settings of a preset: web, phone, tv, archive or chat, or one of your own, which is a file NAME.json in "
            + "~/.config/vtx/presets. Other options count more. vtx help presets lists what they set.")

    private static let concat: Option<TranscodeSettings> = .flag(
        "concat", sets: \.joinsInputs, to: true,
        "Join the inputs: all arguments but the last are files that follow one another in the output, each where the one "
            + "before ends. Their streams have to be alike: codecs, size, rates. No journal is kept.")

    private static let outputDirectory: Option<TranscodeSettings> = .optional(
        "output-dir", .directory, into: \.outputDirectory,
        "Write into this directory, and take every argument as an input. Of a directory all videos are taken, and keep "
            + "their places in it. Names and containers are the inputs'; what is no container of vtx's becomes MP4.")

    private static let jobs: Option<TranscodeSettings> = .value(
        "jobs", .jobs, into: \.jobs,
        "How many inputs of --output-dir to transcode at one time. With more than one no bar is drawn. A GPU, and a machine "
            + "with many cores, does more of them in an hour. auto is as many as keep them busy, and says how many that are."
    )

    private static let journal: [Option<TranscodeSettings>] = [
        .flag(
            "no-journal", sets: \.keepsJournal, to: false,
            "Keep no journal of what is encoded: after a kill the same command starts over. The journal takes as much "
                + "space as the output's video while the work lasts."),
        .flag(
            "restart", sets: \.restarts, to: true,
            "Throw away what an unfinished transcode of this output has left, and start over."),
        .optional(
            "work-dir", .directory, into: \.workDirectory,
            "Keep journals in this directory. By default they are beside their outputs."),
    ]

    private static let receipt: Option<TranscodeSettings> = .optional(
        "receipt", .filePath("FILE"), into: \.receipt,
        "Write a receipt there once the output is in place: JSON with the SHA-256 of source and output, the plan, and "
            + "all that was lost, fell back or failed. vtx help receipt prints its schema.")

    private static let sandbox: Option<TranscodeSettings> = .flag(
        "sandbox", sets: \.isSandboxed, to: true,
        "For files of strangers: the process that reads INPUT can open nothing but INPUT, the directory of OUTPUT and what "
            + "libraries and drivers need, and no network. An error where the kernel has no Landlock.")

    private static let segment: Option<TranscodeSettings> = .optional(
        "segment", .segment, into: \.request.segmentedWork,
        "As a cluster's workers do it: encode segment K of N, counted from 1, and write its coded video into OUTPUT, for "
            + "--join. OUTPUT has the extension of the whole, and cannot be played.")

    private static let join: Option<TranscodeSettings> = .optional(
        "join", .segmentDirectory, into: \.request.segmentedWork,
        "Encode nothing: make OUTPUT of INPUT and of the files segment-1, segment-2 and so on in DIR, which --segment has "
            + "made or still makes, as many as --segments says.")

    /// What is said, and how.
    private static let talking: [Option<TranscodeSettings>] = [
        .flag("explain", sets: \.explains, to: true, "Print what would be done and why, and write nothing."),
        .json(sets: \.printsJSON),
        .value(
            "progress", .choice("STYLE"), into: \.progress,
            "How to show progress. auto is a bar on a terminal; ffmpeg prints key=value blocks to standard output, as ffmpeg's -progress does."
        ),
        .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
        .flag(
            "verbose", short: "v", sets: \.isVerbose, to: true,
            "Also print each decision and its reason before the work starts, and what the codecs and the muxer log."),
    ]
}

extension ValueType where Value == SegmentedWork {
    /// `3/16`.
    fileprivate static var segment: ValueType {
        let most = SegmentsRequest.counts.upperBound
        return ValueType("K/N", expects: "two numbers up to \(most) with a / between, such as 3/16") { text in
            let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
                SegmentsRequest.counts.contains(count), (1...count).contains(number)
            else { return nil }
            return .segment(number, of: count)
        }
    }

    fileprivate static var segmentDirectory: ValueType {
        ValueType("DIR", expects: "the path of a directory", completion: .files) {
            $0.isEmpty ? nil : .join(directory: $0)
        }
    }
}
