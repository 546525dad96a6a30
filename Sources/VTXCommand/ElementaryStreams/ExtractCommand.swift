import VTXMedia
import VTXTask

/// What `vtx extract` was told.
struct ExtractSettings: CommandSettings, CopyingSettings {
    var job = ExtractJob(input: "")
    var printsJSON = false
    var isQuiet = false

    init() {}
}

extension Command {
    static let extract = Command(
        "extract", "take a container's video out as a byte stream",
        details: [
            "Writes the H.264 or HEVC video of INPUT to OUTPUT as a byte stream (Annex B), without coding it again. "
                + "Every NAL unit of the packets comes in its order, after a start code of four bytes; parameter "
                + "sets that only the container's header holds come first. vtx mux is the way back.",
            "The output appears under its name only when it is whole and has been read back.",
        ],
        grammar: Grammar<ExtractSettings>(
            positionals: [
                .required(.filePath("INPUT"), into: \.job.input, "The container to read."),
                .optional(
                    .filePath("OUTPUT"), into: \.job.output,
                    "The byte stream to write: \(alternatives(Container.allCases.filter(\.isElementaryStream).pathExtensions)). "
                        + "By default a name beside the input."),
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .value(
                            "video", .position, into: \.job.videoPosition,
                            "Which of the video streams to take, counted from 0."),
                        .flag(
                            "drop-delimiters", sets: \.job.dropsDelimiters, to: true,
                            "Leave out access unit delimiters, which MPEG-TS demands and others do not need."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying),
        examples: [Example("vtx extract in.mp4 out.h264", "The H.264 video of an MP4, every bit of it")],
        run: { settings, console throws(UsageError) in
            CopyRun(.extract(settings.job), settings, console).run()
        })
}
