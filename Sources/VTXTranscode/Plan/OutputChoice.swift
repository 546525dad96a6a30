import Glibc
package import VTXFFmpeg
package import VTXMedia
import VTXSystem
package import VTXTask

/// The video of the output, as far as it determines the name.
enum OutputVideo {
    case encoded(VideoCodec)
    case copied(StreamInfo)

    /// The suffix that distinguishes the output from the input: `in.hevc.mp4`, `in.copy.mkv`.
    fileprivate var suffix: String {
        switch self {
        case .encoded(let codec): codec.rawValue
        case .copied: "copy"
        }
    }

    /// Returns the input's extension if its container supports the video; otherwise that of MP4.
    fileprivate func outputExtension(likeInput pathExtension: String) -> String {
        switch self {
        case .encoded(let codec): return Container.outputExtension(likeInput: pathExtension, for: codec)
        case .copied(let stream):
            let holds = Container(fileExtension: pathExtension).map { ContainerRules.of($0).holds(stream) } ?? false
            return holds ? pathExtension : Container.mp4.rawValue
        }
    }
}

/// The choice of container and name.
struct OutputChoice {
    var path: String
    var container: Container
    var isFragmented = false

    /// Returns the given name, or one next to the input: `in.hevc.mp4` for `in.mp4`.
    static func choose(
        _ request: TranscodeRequest, _ video: OutputVideo, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> OutputChoice {
        if request.hasRenditions { return try directory(request, &notes) }
        var choice = try chooseName(request, video, &notes)
        let canBeFragmented = ContainerRules.of(choice.container).canBeFragmented
        choice.isFragmented = request.isFragmented || request.writesPipe && canBeFragmented
        if request.isFragmented {
            guard canBeFragmented else {
                throw TranscodeError(
                    .outputFragmented,
                    "\(StandardStream.output(choice.path)) is \(choice.container), which has no fragmented form",
                    hint: "\(option: .fragmented) goes with .mp4, .m4v and .mov")
            }
            notes.decide("index", "in fragments", because: "requested")
        } else if choice.isFragmented {
            notes.decide("index", "in fragments", because: "an index cannot be inserted at the start of a pipe")
        }
        return choice
    }

    /// Returns the directory of a ladder, without trailing slashes.
    ///
    /// - Throws: `output.extension` for the name of a playlist or a file.
    private static func directory(
        _ request: TranscodeRequest, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> OutputChoice {
        guard let output = request.output else {
            let path =
                FileName.split(request.input).stem + (request.writesDASH && !request.writesHLS ? ".dash" : ".hls")
            notes.decide("output", path, because: "no name was given; next to the input")
            return OutputChoice(path: path, container: .mp4, isFragmented: true)
        }
        let (stem, pathExtension) = FileName.split(output)
        guard playlistOptions[pathExtension] == nil, Container(fileExtension: pathExtension) == nil else {
            throw TranscodeError(
                .outputExtension,
                "'\(output)' is the name of a file; \(option: .hls) and \(option: .dash) write a directory",
                hint: "name the directory, for example \(stem)")
        }
        return OutputChoice(path: FileName.withoutTrailingSlashes(output), container: .mp4, isFragmented: true)
    }

    private static func chooseName(
        _ request: TranscodeRequest, _ video: OutputVideo, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> OutputChoice {
        if request.replacesSource, case .encoded(let codec) = video {
            return replacing(request.input, with: codec, &notes)
        }
        if let output = request.output { return try named(output, request, &notes) }
        let (stem, pathExtension) = FileName.split(request.input)
        let kept = request.format?.fileExtensions[0] ?? video.outputExtension(likeInput: pathExtension)
        let container = request.format ?? Container(fileExtension: kept) ?? .mp4
        let path = "\(stem).\(video.suffix).\(kept)"
        let form = request.format == nil ? kept == pathExtension ? "same container" : "MP4" : "the container was named"
        notes.decide("output", path, because: Message("no name was given; next to the input, \(form)"))
        return OutputChoice(path: path, container: container)
    }

    private static func replacing(
        _ input: String, with codec: VideoCodec, _ notes: inout PlanNotes
    ) -> OutputChoice {
        let path = OutputName.replacing(input, with: codec)
        notes.decide("output", path, because: "it replaces the source")
        return OutputChoice(path: path, container: Container(fileExtension: FileName.split(path).pathExtension) ?? .mp4)
    }

    /// The options that write playlists, by their extensions.
    private static let playlistOptions: [String: OptionName] = ["m3u8": .hls, "mpd": .dash]

    /// The error for an extension without a container. Playlists have an option of their own.
    private static func unknown(_ pathExtension: String, of output: String) -> TranscodeError {
        var error = TranscodeError.outputExtension(pathExtension, of: output, allowed: Container.allCases)
        if let option = playlistOptions[pathExtension] {
            error.hint = "\(option: option) writes playlists, into a directory"
        }
        return error
    }

    private static func named(
        _ output: String, _ request: TranscodeRequest, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> OutputChoice {
        let pathExtension = FileName.split(output).pathExtension
        guard let container = request.container else {
            // A directory has no extension either.
            try reportingOutputErrors { () throws(AtomicFileError) in try AtomicFile.checkName(output) }
            throw unknown(pathExtension, of: output)
        }
        let reason: Message =
            request.format != nil
            ? "requested"
            : request.writesPipe ? "the default of standard output" : "the output's extension is .\(pathExtension)"
        notes.decide("container", "\(container)", because: reason)
        if request.writesPipe {
            notes.note(.outputUnchecked, "standard output cannot be read back, so the output is not verified")
        }
        return OutputChoice(path: output, container: container)
    }
}

extension TranscodeError {
    /// The error for an extension that is none of the allowed containers.
    package static func outputExtension(_ pathExtension: String, of output: String, allowed: [Container])
        -> TranscodeError
    {
        let message: Message =
            if pathExtension.isEmpty {
                "the output '\(output)' has no extension to choose a container by"
            } else if let container = Container(fileExtension: pathExtension) {
                container.isElementaryStream
                    ? "the output '\(output)' is \(container), not a container"
                    : "'\(output)' cannot be \(container) here"
            } else {
                "'.\(pathExtension)' is not a container that vtx writes"
            }
        return TranscodeError(
            .outputExtension, message, hint: "allowed: \(list(allowed.pathExtensions))")
    }
}

extension TranscodeError {
    /// Creates an error for a failed write in libavformat.
    package init(_ error: FFmpegError, writing output: String) {
        let name = StandardStream.output(output)
        switch error.kind {
        case _ where output == StandardStream.path && error.status == -EPIPE:
            self = .standardOutputClosed
        case .noSpace, .permission, .notFound: self.init(output: "\(name) cannot be written", -error.status)
        default:
            self.init(.outputWrite, "\(name) cannot be written: \(error)")
            cause = "\(error)"
        }
    }
}
