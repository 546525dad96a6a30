import VTXMedia
import VTXSystem
import VTXTask

struct CompareSettings: CommandSettings {
    var job = ComparisonJob(original: "", output: "")
    var plot: String?
    /// What to do if a chart or picture exists.
    var overwrite = OverwritePolicy.refuse
    var printsFrames = false
    var printsJSON = false

    init() {}
}

extension Command {
    static let compare = Command(
        "compare", "measure the quality of a transcode",
        details: [
            "Decodes both files in software and compares frames with the same timestamp, counted from each file's "
                + "first frame: SSIM, PSNR, XPSNR with FFmpeg 7.1 or later, and VMAF if FFmpeg is built with libvmaf. "
                + "The table has the mean, the 1st percentile and the worst frame. Frames without a counterpart are "
                + "counted and skipped.",
            "OUTPUT is scaled (bicubic) and converted to ORIGINAL's size and pixel format where they differ, as by "
                + "ffmpeg's scale2ref. If only one file has a display rotation, both are compared as displayed. "
                + "Identical frames count as 100 dB.",
            "Sample values are compared as coded: the result is meaningless if colors or brightness were changed on "
                + "purpose, as from HDR to SDR.",
        ],
        grammar: .compare,
        examples: [
            Example("vtx compare in.mkv out.mp4", "All metrics"),
            Example("vtx compare in.mkv out.mp4 --plot quality.svg", "With a chart over time"),
            Example("vtx compare in.mkv out.mp4 --picture worst.png", "With a picture of the worst frames"),
            Example(
                "vtx compare in.mkv out.mp4 --metric ssim --json --frames | grep comparedFrame",
                "Values of each frame, for programs"),
        ],
        run: { settings, console throws(UsageError) in
            CompareRun(settings, console).run()
        })
}

extension Grammar where Settings == CompareSettings {
    static let compare = Grammar(
        positionals: [
            .required(.filePath("ORIGINAL"), into: \.job.original, "The source."),
            .required(.filePath("OUTPUT"), into: \.job.output, "The transcoded file."),
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .optional(
                        "metric", .metrics, into: \.job.metrics,
                        "Metrics to measure. By default all that the installed libavfilter has."),
                    .optional(
                        "plot", .drawing("svg"), into: \.plot,
                        "Write a chart of each metric over time, as SVG."),
                    .optional(
                        "picture", .drawing("png"), into: \.job.picture,
                        "Write a picture of the worst frame of each of the four worst seconds, by the first metric other "
                            + "than VMAF, with ORIGINAL on the left and OUTPUT on the right."),
                    .flag(
                        "overwrite", short: "y", sets: \.overwrite, to: .replace,
                        "Replace an existing chart or picture."),
                    .json(sets: \.printsJSON),
                    .flag(
                        "frames", sets: \.printsFrames, to: true,
                        "With --json, also print a \"comparedFrame\" record for each pair of frames."),
                ])
        ],
        rules: OptionRules(requirements: [OptionRules.Requirement(option: "frames", needs: "json")]))
}

extension ValueType where Value == String {
    /// A file of one format, determined by its extension, so that a chart and a picture are never the same file.
    fileprivate static func drawing(_ pathExtension: String) -> ValueType {
        ValueType(
            "FILE.\(pathExtension)", expects: "the path of a file whose name ends with .\(pathExtension)",
            completion: .files,
            read: { $0.lowercased().hasSuffix(".\(pathExtension)") ? $0 : nil })
    }
}

extension ValueType where Value == [QualityMetric] {
    /// One metric, or several separated by commas.
    fileprivate static var metrics: ValueType {
        let words = QualityMetric.allCases.map(\.rawValue)
        return ValueType(
            "METRIC,...", expects: "\(alternatives(words)), or several of them with commas between them",
            completion: .words(words), write: { $0.map(\.rawValue).joined(separator: ",") },
            read: { text in
                let metrics = text.split(separator: ",", omittingEmptySubsequences: false)
                    .map { QualityMetric(rawValue: String($0)) }
                let known = metrics.compactMap(\.self)
                return known.count == metrics.count && Set(known).count == known.count ? known : nil
            })
    }
}
