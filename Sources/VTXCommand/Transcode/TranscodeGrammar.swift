import VTXSystem
import VTXTask
import VTXTranscode

/// `vtx transcode`'s command line. The groups' tables are in the files beside this one.
extension Grammar where Settings == TranscodeSettings {
    static let transcode = Grammar(
        positionals: [
            .required(.filePath("INPUT"), into: \.request.input, "The file to read."),
            .optional(
                .filePath("OUTPUT"), into: \.request.output,
                "The file to write; its extension chooses the container. By default a name beside the input. With "
                    + "--output-dir it is one more input, and there may be more of them."),
        ],
        groups: [.coding, .picture, .hardware, .audio, .streams, .time, .output],
        rules: OptionRules(
            exclusive: [
                ["hevc", "h264"], ["quality", "bitrate"], ["size", "max-size"], ["overwrite", "no-clobber"],
                ["quiet", "verbose"],
            ],
            requirements: [.init(option: "scaling", needs: "size")]),
        further: \TranscodeSettings.furtherInputs, record: \TranscodeSettings.optionArguments)
}

extension OptionGroup where Settings == TranscodeSettings {
    static let output = OptionGroup(
        "Output",
        [
            .optional(
                "output-dir", .directory, into: \.outputDirectory,
                "Write into this directory, and take every argument as an input. Of a directory all videos are taken, "
                    + "and keep their places in it. Names and containers are the inputs'; what is no container of vtx's "
                    + "becomes MP4."),
            .flag(
                "overwrite", short: "y", sets: \.request.overwrite, to: .replace,
                "Replace an existing output, once the new file is whole and checked."),
            .flag(
                "no-clobber", short: "n", sets: \.request.overwrite, to: .skip,
                "Leave an existing output alone and end with exit code 0."),
            .flag(
                "fragmented", sets: \.request.isFragmented, to: true,
                "Write MP4 or MOV in fragments, each with an index of its own, instead of one index in front."),
            .flag(
                "no-downgrade", sets: \.request.forbidsDowngrades, to: true,
                "Fail where something of the source would be given up, instead of saying so."),
            .flag(
                "explain", sets: \.explains, to: true,
                "Print what would be done and why, and write nothing."),
            .flag(
                "json", sets: \.printsJSON, to: true,
                "Print JSON records to standard output, one a line; the last has the type \"result\"."),
            .value(
                "progress", .choice("STYLE"), into: \.progress,
                "How to show progress. auto is a bar on a terminal; ffmpeg prints key=value blocks to "
                    + "standard output, as ffmpeg's -progress does."),
            .flag("quiet", short: "q", sets: \.isQuiet, to: true, "Print errors and nothing else."),
            .flag(
                "verbose", short: "v", sets: \.isVerbose, to: true,
                "Also print each decision and its reason before the work starts, and what the codecs and the muxer log."
            ),
        ])
}
