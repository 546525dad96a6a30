import VTXMedia
import VTXSystem
import VTXTask

/// What `vtx compare` was told.
struct CompareSettings: CommandSettings {
    var job = ComparisonJob(original: "", output: "")
    var plot: String?
    /// Of a chart or a picture that is there already.
    var overwrite = OverwritePolicy.refuse
    var printsFrames = false
    var printsJSON = false

    init() {}
}

extension Command {
    static let compare = Command(
        "compare", "measure how like its original a transcoded file is",
        details: [
            "Decodes both files in software and compares the pictures that are shown at the same time, each file counted "
                + "from its first one: their SSIM, their PSNR, and, with FFmpeg 7.1 and later, their XPSNR. The table "
                + "has the mean of each, the worst picture, and the value that one picture in a hundred is below. "
                + "Pictures without a partner are counted and left out.",
            "What differs in size or samples is brought to ORIGINAL's, as ffmpeg's filter scale2ref does it: bicubic, in "
                + "the same bit depth. Where one file is turned by its display matrix and the other one is not, both "
                + "are compared as they are shown. 100 dB stands for pictures that are the same.",
            "Samples are compared as they are coded. Of HDR beside SDR, and of other changes of color or light, the numbers "
                + "say nothing about quality.",
        ],
        grammar: .compare,
        examples: [
            Example("vtx compare in.mkv out.mp4", "Every metric that there is"),
            Example("vtx compare in.mkv out.mp4 --plot quality.svg", "And where in the video it is good or bad"),
            Example("vtx compare in.mkv out.mp4 --picture worst.png", "And what that looks like"),
            Example(
                "vtx compare in.mkv out.mp4 --metric ssim --json --frames | grep comparedFrame",
                "Each frame's, for programs"),
        ],
        run: { settings, console throws(UsageError) in
            CompareRun(settings, console).run()
        })
}

extension Grammar where Settings == CompareSettings {
    static let compare = Grammar(
        positionals: [
            .required(.filePath("ORIGINAL"), into: \.job.original, "The file that the other one was made from."),
            .required(.filePath("OUTPUT"), into: \.job.output, "The file to judge."),
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .optional(
                        "metric", .metrics, into: \.job.metrics,
                        "What to measure. By default all that the installed libavfilter can."),
                    .optional(
                        "plot", .drawing("svg"), into: \.plot,
                        "Write a chart of each metric over time, as SVG."),
                    .optional(
                        "picture", .drawing("png"), into: \.job.picture,
                        "Write a picture of the worst frame of each of the four worst seconds, by the first metric: "
                            + "ORIGINAL's on the left, OUTPUT's on the right."),
                    .flag(
                        "overwrite", short: "y", sets: \.overwrite, to: .replace,
                        "Replace a chart or a picture that is there already."),
                    .json(sets: \.printsJSON),
                    .flag(
                        "frames", sets: \.printsFrames, to: true,
                        "With --json, a record of the type \"comparedFrame\" for each pair of pictures too."),
                ])
        ],
        rules: OptionRules(requirements: [OptionRules.Requirement(option: "frames", needs: "json")]))
}

extension ValueType where Value == String {
    /// A file of one format, which its extension names: a chart and a picture then are never the same file.
    fileprivate static func drawing(_ pathExtension: String) -> ValueType {
        ValueType(
            "FILE.\(pathExtension)", expects: "the path of a file whose name ends with .\(pathExtension)",
            completion: .files,
            read: { $0.lowercased().hasSuffix(".\(pathExtension)") ? $0 : nil })
    }
}

extension ValueType where Value == [QualityMetric] {
    /// One, or several with commas between them.
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
