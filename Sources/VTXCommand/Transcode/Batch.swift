import VTXMedia
import VTXSystem
import VTXTask

/// The outputs of `--output-dir`, or of `--replace` for several inputs: one per input file, in order.
struct BatchPlan: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        let input: String
        let output: String
        /// The size of the input, which may be replaced later, in bytes.
        let byteCount: Int64

        init(input: String, output: String) {
            (self.input, self.output) = (input, output)
            byteCount = FileStatus(input)?.byteCount ?? 0
        }

        /// Why it cannot be transcoded; nil if it may be.
        var obstacle: TranscodeError? {
            let status = FileStatus(input)
            if status?.kind == .directory {
                return TranscodeError(.inputPermission, "directory '\(input)' cannot be read: Permission denied")
            }
            guard status == nil, Self.isRepaired(input) else { return nil }
            return TranscodeError(.inputOpen, "'\(input)' cannot be opened: its name is not UTF-8", hint: "rename it")
        }

        /// Whether the name has the replacement character of a decoder of UTF-8.
        static func isRepaired(_ name: String) -> Bool { name.unicodeScalars.contains("\u{FFFD}") }
    }

    private(set) var items: [Item] = []
    /// nil if the outputs replace their inputs.
    private let directory: String?
    private let codec: VideoCodec?
    private let format: Container?

    /// - Parameters:
    ///   - inputs: Files, and directories whose tree is mirrored in the output directory.
    ///   - codec: nil if not known yet.
    ///   - format: The format of all outputs; nil for that of each input.
    init(
        _ inputs: [String], to directory: String, codec: VideoCodec? = nil, format: Container? = nil
    ) throws(UsageError) {
        self.directory = Self.trimmed(directory)
        (self.codec, self.format) = (codec, format)
        for input in inputs { try add(input) }
        keepApart()
        try checkOutputs()
    }

    /// Creates the plan for outputs that replace their inputs.
    ///
    /// - Throws: if the last may have been meant as an output: one that does not exist, or the second of two files.
    init(replacing inputs: [String], codec: VideoCodec? = nil) throws(UsageError) {
        (directory, format, self.codec) = (nil, nil, codec)
        if let missing = inputs.first(where: { FileStatus($0) == nil }) {
            throw .contradiction(
                "'\(missing)' does not exist",
                hint: "with --replace every argument is an input; it takes no output name")
        }
        if inputs.count == 2, inputs.allSatisfy({ FileStatus($0)?.kind != .directory }) {
            throw .contradiction(
                "--replace would replace both '\(inputs[0])' and '\(inputs[1])', and takes no output name",
                hint: "use one command for each of two files, or name their directory")
        }
        for input in inputs { try add(input) }
        keepOnce()
    }

    /// Keeps the first of the items that lead to the same file.
    private mutating func keepOnce() {
        var sources: Set<String> = []
        items = items.filter { sources.insert(FileName.resolved($0.input) ?? $0.input).inserted }
    }

    var replacesInputs: Bool { directory == nil }

    private mutating func add(_ input: String) throws(UsageError) {
        guard FileStatus(input)?.kind == .directory, Directory.isReadable(input) else {
            return items.append(item(input, name: FileName.directory(of: input).name))
        }
        let names = videos(in: Self.trimmed(input))
        guard !names.isEmpty else {
            throw .contradiction(
                "there is no video in '\(input)'", hint: "video files are recognized by their extensions")
        }
        items += names.map { item("\(Self.trimmed(input))/\($0)", name: $0) }
    }

    private func item(_ input: String, name: String) -> Item {
        guard let directory else { return Item(input: input, output: OutputName.replacing(input, with: codec)) }
        let (stem, pathExtension) = FileName.split(name)
        let kept = format?.fileExtensions[0] ?? Container.outputExtension(likeInput: pathExtension, for: codec)
        return Item(input: input, output: "\(directory)/\(stem).\(kept)")
    }

    /// Keeps the extensions of inputs that differ only in them: `a.avi` and `a.mp4` become `a.avi.mp4` and `a.mp4.mp4`.
    private mutating func keepApart() {
        let groups = Dictionary(grouping: items, by: \.output).filter { _, items in
            items.count > 1 && Set(items.map { FileName.split($0.input).pathExtension }).count == items.count
        }
        for index in items.indices where groups[items[index].output] != nil {
            let (input, output) = (items[index].input, items[index].output)
            let (stem, added) = FileName.split(output)
            items[index] = Item(input: input, output: "\(stem).\(FileName.split(input).pathExtension).\(added)")
        }
    }

    private static func trimmed(_ directory: String) -> String {
        directory.count > 1 && directory.hasSuffix("/") ? trimmed(String(directory.dropLast())) : directory
    }

    /// Returns the names below a directory, sorted, without hidden files, linked directories, and the output directory.
    /// Without linked files too if the files are replaced: where a link leads may be elsewhere. A directory that cannot
    /// be read, and a name that is not UTF-8, are items, which fail.
    private func videos(in path: String, below prefix: String = "") -> [String] {
        let output = directory.flatMap { FileStatus($0) }?.identity
        // Names that are not UTF-8 may look alike.
        return Set(Directory.names(in: path)).filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
            let (place, shown) = ("\(path)/\(name)", prefix + name)
            let isVideo = Self.extensions.contains(FileName.split(name).pathExtension.lowercased())
            guard let status = FileStatus(place) else {
                return isVideo && Item.isRepaired(name) ? [shown] : []
            }
            if status.identity == output { return [] }
            let isLink = FileStatus(place, followsLinks: false)?.kind == .symbolicLink
            if isLink, status.kind == .directory || replacesInputs { return [] }
            if status.kind == .directory {
                return Directory.isReadable(place) ? videos(in: place, below: "\(shown)/") : [shown]
            }
            return status.kind == .regular && isVideo ? [shown] : []
        }
    }

    private func checkOutputs() throws(UsageError) {
        let inputs = Dictionary(grouping: items, by: \.output)
        guard let output = items.map(\.output).first(where: { (inputs[$0]?.count ?? 0) > 1 }), let same = inputs[output]
        else { return }
        throw .contradiction(
            "'\(same[0].input)' and '\(same[1].input)' would both become '\(output)'",
            hint: "rename one, or give them different output directories")
    }

    private static let extensions: Set<String> = [
        "3g2", "3gp", "asf", "avi", "divx", "dv", "f4v", "flv", "h264", "h265", "264", "265", "hevc", "avc", "m1v",
        "m2t", "m2ts", "m2v", "m4v", "mkv", "mov", "mp4", "mpe", "mpeg", "mpg", "mts", "mxf", "nut", "ogm", "ogv", "qt",
        "rm", "rmvb", "ts", "vob", "webm", "wmv", "wtv", "y4m",
    ]
}
