import VTXMedia
import VTXTask

/// What `vtx nal` was told.
struct NALSettings: CommandSettings {
    var listing = NALDump(input: "")
    var printsJSON = false

    init() {}
}

extension Command {
    static let nal = Command(
        "nal", "list the NAL units of an H.264 or HEVC stream",
        details: [
            "Lists each NAL unit of FILE with its place, size and type, what the headers of slices say, and the main "
                + "fields of parameter sets. FILE is a byte stream (Annex B) or a container, recognised by what is "
                + "in it. It is read once, from its beginning, in memory that does not grow with it.",
            "The place is the unit's offset in the file. Where a container does not keep packets as they are, it is "
                + "the packet's number and the offset in it; parameter sets of the container's header are in the "
                + "record.",
        ],
        grammar: Grammar<NALSettings>(
            positionals: [
                .required(.inputPath("FILE"), into: \.listing.input, "The file to read, or - for standard input.")
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .value(
                            "video", .position, into: \.listing.videoPosition,
                            "Which of a container's video streams, counted from 0."),
                        .optional(
                            "codec", .choice("CODEC"), into: \.listing.codec,
                            "What a byte stream holds. By default its parameter sets tell."),
                        .flag(
                            "json", sets: \.printsJSON, to: true,
                            "Print JSON records to standard output, one a line: a stream, NAL units, a result."),
                    ])
            ]),
        examples: [
            Example("vtx nal in.h264 | head", "The beginning of a byte stream"),
            Example("vtx nal in.mp4 --json | grep '\"keyFrame\":true'", "Every slice that decoding can begin at"),
            Example("ffmpeg -i in.mkv -c copy -f hevc - | vtx nal -", "From a pipe"),
        ],
        run: { settings, console throws(UsageError) in
            NALRun(settings, console).list()
        })
}
