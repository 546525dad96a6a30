import VTXMedia
import VTXTask

/// What `vtx mux` was told.
struct MuxSettings: CommandSettings, CopyingSettings {
    var job = MuxJob(input: "", output: "")
    var printsJSON = false
    var isQuiet = false

    init() {}
}

extension Command {
    static let mux = Command(
        "mux", "put a byte stream into a container",
        details: [
            "Puts the H.264 or HEVC byte stream INPUT (Annex B) into the container OUTPUT, without coding it again. "
                + "Frames follow one another evenly; pictures that refer to later ones get the times at which they "
                + "are shown. vtx extract gives back every NAL unit, and where all start codes have four bytes, "
                + "every byte. In MPEG-TS each picture has to have an access unit delimiter, and gets one where it "
                + "had none.",
            "Parameter sets that stand once, before the first picture, go to the container's header (avc1, "
                + "hvc1). Those that come again or change stay in the samples as well (avc3, hev1), unless "
                + "--parameter-sets record asks for the header alone.",
            "The output appears under its name only when it is whole and has been compared with the input.",
        ],
        grammar: Grammar<MuxSettings>(
            positionals: [
                .required(.filePath("INPUT"), into: \.job.input, "The byte stream to read."),
                .required(
                    .filePath("OUTPUT"), into: \.job.output,
                    "The file to write; its extension chooses the container: "
                        + "\(alternatives(Container.allCases.filter { !$0.isElementaryStream }.pathExtensions))."),
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .optional(
                            "fps", .frameRate, into: \.job.frameRate,
                            "Frames a second. By default what the stream's parameter sets say."),
                        .value(
                            "parameter-sets", .choice("WHERE"), into: \.job.parameterSets,
                            "Where they are kept. record leaves out of the samples those that come again without a "
                                + "change, for players that know avc1 and hvc1 alone."),
                    ] + .copying(overwrite: \.job.overwrite))
            ],
            rules: .copying),
        examples: [
            Example("vtx mux in.h264 out.mp4 --fps 25", "An MP4 of a byte stream"),
            Example("vtx mux in.h265 out.mp4 --parameter-sets record", "An MP4 for players that want hvc1"),
        ],
        run: { settings, console throws(UsageError) in
            CopyRun(.mux(settings.job), settings, console).run()
        })
}
