import VTXMedia
import VTXSystem
import VTXTask

/// What the grammar of `vtx transcode` shares with the checks that need the file system.
enum TranscodeGrammar {
    /// Options about a single source, such as the files that belong to it.
    static let ofOneSource = ["receipt", "add-audio", "add-subtitles"]
}

/// The command line of `vtx transcode`: the catalogue's options as flags, and those specific to the command line.
extension Grammar where Settings == TranscodeSettings {
    static let transcode = Grammar(
        positionals: [
            .required(.inputPath("INPUT"), into: \.request.input, "The file to read, or - for standard input."),
            .optional(
                .outputPath("OUTPUT"), into: \.request.output,
                "The file to write, or - for standard output. The extension chooses the container. By default a new "
                    + "file next to INPUT. --output-dir, --replace and --concat take several inputs."),
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
                ["quiet", "verbose"], ["replace", "output-dir"],
                ["segment", "join"], ["segment", "segments"], ["segment", "parallel"], ["join", "parallel"],
                ["segment", "output-dir"], ["join", "output-dir"], ["segment", "concat"], ["join", "concat"],
                ["segment", "restart"], ["join", "restart"],
                ["concat", "output-dir"], ["concat", "receipt"], ["concat", "replace"],
            ]
                + TranscodeGrammar.ofOneSource.map { [$0, "output-dir"] }
                + ["restart", "work-dir", "replace"].map { ["no-journal", $0] }
                // A directory has a single source, and no digest.
                + ["hls", "dash", "ladder"].flatMap { ladder in ["output-dir", "receipt"].map { [ladder, $0] } },
            requirements: OptionCatalogue.requirements.map {
                OptionRules.Requirement(option: FlagSpelling.long($0.option), needs: FlagSpelling.long($0.needs))
            } + [
                OptionRules.Requirement(option: "join", needs: "segments")
            ]),
        further: \TranscodeSettings.furtherInputs, record: \TranscodeSettings.optionArguments)

    private static let preset: Option<TranscodeSettings> = .optional(
        "for", .preset, into: \.presetName,
        "Use a preset: web, phone, tv, archive, chat, or your own from ~/.config/vtx/presets/NAME.json. Other options "
            + "override it. See vtx help presets.")

    private static let concat: Option<TranscodeSettings> = .flag(
        "concat", sets: \.joinsInputs, to: true,
        "Join the inputs, in order, into the output, which is the last argument. Their streams must have the same "
            + "codecs, sizes and rates. Keeps no journal.")

    private static let outputDirectory: Option<TranscodeSettings> = .optional(
        "output-dir", .directory, into: \.outputDirectory,
        "Write into this directory; every argument is an input. A directory is searched for videos, and its "
            + "structure is kept. Outputs have the names and containers of their inputs, or MP4 where vtx does not "
            + "write the container.")

    private static let jobs: Option<TranscodeSettings> = .value(
        "jobs", .jobs, into: \.jobs,
        "Number of inputs of --output-dir or --replace to transcode at the same time, which uses a GPU or many cores "
            + "better. auto chooses by the GPUs or the cores, and says how many. The progress bar shows all of them."
    )

    private static let journal: [Option<TranscodeSettings>] = [
        .flag(
            "no-journal", sets: \.keepsJournal, to: false,
            "Keep no journal: if killed, the same command starts over. While it runs, a transcode's journal takes as "
                + "much space as the output's video."),
        .flag(
            "restart", sets: \.restarts, to: true,
            "Discard the journal of an unfinished transcode of this output, and start over."),
        .optional(
            "work-dir", .directory, into: \.workDirectory,
            "Directory for journals. By default they are next to their outputs."),
    ]

    private static let receipt: Option<TranscodeSettings> = .optional(
        "receipt", .filePath("FILE"), into: \.receipt,
        "Write a receipt: JSON with the SHA-256 of source and output, the plan, and every downgrade, fallback and "
            + "fault. vtx help receipt prints its schema.")

    private static let sandbox: Option<TranscodeSettings> = .flag(
        "sandbox", sets: \.isSandboxed, to: true,
        "Sandbox the process that reads INPUT, for untrusted files: no network, and no files but INPUT, the directory "
            + "of OUTPUT, libraries and drivers. Requires Landlock in the kernel.")

    private static let segment: Option<TranscodeSettings> = .optional(
        "segment", .segment, into: \.request.segmentedWork,
        "Encode only segment K of N, counted from 1, for --join; the workers of a cluster do so. OUTPUT has the "
            + "extension of the whole video, but cannot be played.")

    private static let join: Option<TranscodeSettings> = .optional(
        "join", .segmentDirectory, into: \.request.segmentedWork,
        "Join encoded segments instead of encoding: OUTPUT is made from INPUT and the files segment-1, segment-2 and "
            + "so on in DIR, which --segment writes. Waits for missing ones.")

    /// Options about output and messages.
    private static let talking: [Option<TranscodeSettings>] = [
        .flag("explain", sets: \.explains, to: true, "Print the plan and its reasons, and write nothing."),
        .flag(
            "json", sets: \.printsJSON, to: true,
            "Print JSON records, one per line; the last has the type \"result\", of several inputs \"summary\"."),
        .value(
            "progress", .choice("STYLE"), into: \.progress,
            "Progress display. auto is a bar on a terminal; ffmpeg prints key=value blocks to standard output, like "
                + "ffmpeg's -progress; json prints the progress records of --json."
        ),
        .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print only errors."),
        .flag(
            "verbose", short: "v", sets: \.isVerbose, to: true,
            "Also print each decision with its reason, and the log of codecs and muxers."),
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
