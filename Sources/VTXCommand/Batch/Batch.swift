import VTXMedia
import VTXSystem
import VTXTask

/// What `--output-dir` makes of its inputs: one output for each file, in their order.
struct BatchPlan: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        let input: String
        let output: String
    }

    private(set) var items: [Item] = []
    private let directory: String
    private let codec: VideoCodec?

    /// - Parameters:
    ///   - inputs: files, and directories, whose videos keep their places in the output directory.
    ///   - codec: nil where it is not known yet.
    init(_ inputs: [String], to directory: String, codec: VideoCodec? = nil) throws(UsageError) {
        self.directory = Self.trimmed(directory)
        self.codec = codec
        for input in inputs { try add(input) }
        try checkOutputs()
    }

    private mutating func add(_ input: String) throws(UsageError) {
        guard FileStatus(input)?.kind == .directory else {
            return items.append(item(input, name: FileName.directory(of: input).name))
        }
        let names = videos(in: Self.trimmed(input))
        guard !names.isEmpty else {
            throw .contradiction("there is no video in '\(input)'", hint: "files are known by their extensions")
        }
        items += names.map { item("\(Self.trimmed(input))/\($0)", name: $0) }
    }

    private func item(_ input: String, name: String) -> Item {
        let (stem, pathExtension) = FileName.split(name)
        let kept = Container.outputExtension(likeInput: pathExtension, for: codec)
        return Item(input: input, output: "\(directory)/\(stem).\(kept)")
    }

    private static func trimmed(_ directory: String) -> String {
        directory.count > 1 && directory.hasSuffix("/") ? trimmed(String(directory.dropLast())) : directory
    }

    /// Names below a directory, sorted. What is hidden, linked directories and the output directory itself are left out.
    private func videos(in path: String, below prefix: String = "") -> [String] {
        let output = FileStatus(directory)?.identity
        return Directory.names(in: path).filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
            guard let status = FileStatus("\(path)/\(name)"), status.identity != output else { return [] }
            if status.kind == .directory {
                let isLink = FileStatus("\(path)/\(name)", followsLinks: false)?.kind == .symbolicLink
                return isLink ? [] : videos(in: "\(path)/\(name)", below: "\(prefix)\(name)/")
            }
            let isVideo = Self.extensions.contains(FileName.split(name).pathExtension.lowercased())
            return status.kind == .regular && isVideo ? [prefix + name] : []
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

/// Transcodes one input after the other, each in a process of its own, which is this program with the same options.
struct BatchRun: Sendable {
    let plan: BatchPlan
    let settings: TranscodeSettings
    let console: Console

    /// - Returns: how the first one failed that did; `incompleteSource` where that is the worst of all.
    func run() -> ExitCode {
        do throws(SystemError) {
            var stops = try StopSignalDescriptor()
            return run(&stops)
        } catch { return report(TranscodeError(.system, "\(error)")) }
    }

    private func run(_ stops: inout StopSignalDescriptor) -> ExitCode {
        var code = ExitCode.success
        for (index, item) in plan.items.enumerated() {
            announce(item, index)
            let (ended, stop) = transcode(item, &stops)
            if let stop { return stop.error.exitCode }
            if code == .success || code == .incompleteSource && ended != .success { code = ended }
        }
        return code
    }

    private var options: [String] { settings.optionArguments.filter { !$0.hasPrefix("--output-dir=") } }

    private func announce(_ item: BatchPlan.Item, _ index: Int) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    /// - Returns: also the signal that came meanwhile.
    private func transcode(
        _ item: BatchPlan.Item, _ stops: inout StopSignalDescriptor
    ) -> (ExitCode, StopSignal?) {
        do throws(SystemError) {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            return (report(TranscodeError(output: "'\(item.output)' cannot be written", error.code)), nil)
        }
        let launch = Launch.same(with: ["vtx", "transcode"] + options + ["--", item.input, item.output])
        do throws(SystemError) {
            let (ending, stop) = try Self.run(launch, &stops)
            return (ending.exitCode ?? crashed(item, ending), stop)
        } catch {
            return (
                report(TranscodeError(.workerStart, "the process for '\(item.input)' cannot be started: \(error)")), nil
            )
        }
    }

    /// Signals are passed on.
    private static func run(
        _ launch: Launch, _ stops: inout StopSignalDescriptor
    ) throws(SystemError) -> (ProcessEnding, StopSignal?) {
        var process = try Subprocess(launch)
        let end = try process.openEnd()
        var first: StopSignal?
        while process.reap() == nil {
            for signal in stops.signals() {
                first = first ?? signal
                process.send(signal: signal.rawValue)
            }
            Poll.wait(for: [.readable(end.number), .readable(stops.number)], seconds: nil)
        }
        return (process.wait(), first)
    }

    private func report(_ error: TranscodeError) -> ExitCode { console.report(error, asJSON: settings.printsJSON) }

    private func crashed(_ item: BatchPlan.Item, _ ending: ProcessEnding) -> ExitCode {
        report(TranscodeError(.workerCrashed, "the process for '\(item.input)' \(ending.words)"))
    }
}

extension ProcessEnding {
    fileprivate var exitCode: ExitCode? {
        if case .exited(let status) = self { ExitCode(rawValue: status) } else { nil }
    }
}
