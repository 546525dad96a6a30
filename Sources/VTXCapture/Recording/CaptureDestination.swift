import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXPlaylist
import VTXSystem
package import VTXTask

/// The destination of a recording: a file, standard output or a network address.
struct CaptureDestination: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case file(Container)
        /// A live playlist with segments.
        case playlist
        case standardOutput(Container)
        /// libavformat's muxer for the protocol's format.
        case live(muxer: String)
    }

    /// The name as written by the user.
    let name: String
    let kind: Kind

    static let playlistExtension = "m3u8"

    /// The protocols of live outputs, and their formats.
    static let protocols = [("rtmp", "flv"), ("srt", "mpegts"), ("udp", "mpegts")]

    /// - Parameters:
    ///   - codec: The requested codec; nil for a choice.
    ///   - format: The container of standard output.
    init(
        _ name: String, codec: VideoCodec?, format: Container = CaptureRequest.defaultFormat
    ) throws(TranscodeError) {
        self.name = name
        if name == StandardStream.path {
            guard CaptureRequest.formats.contains(format) else {
                throw TranscodeError(
                    .outputExtension, "a recording cannot be \(format)",
                    hint: "allowed: \(alternatives(CaptureRequest.formats.map(\.name)))")
            }
            kind = .standardOutput(format)
        } else if let url = LiveURL(name) {
            kind = .live(muxer: try Self.liveMuxer(url))
        } else if FileName.split(name).pathExtension == Self.playlistExtension {
            kind = .playlist
        } else {
            kind = .file(try Self.container(name))
        }
        if let codec { try check(codec) }
    }

    private static func liveMuxer(_ url: LiveURL) throws(TranscodeError) -> String {
        guard let found = protocols.first(where: { $0.0 == url.scheme }) else {
            throw TranscodeError(
                .outputExtension, "'\(url.text)' is not a live output",
                hint: "allowed: \(alternatives(protocols.map { "\($0.0)://" }))")
        }
        guard url.isComplete else {
            throw TranscodeError(
                .outputExtension, "'\(url.text)' is incomplete",
                hint: "rtmp://HOST/APP/KEY, srt://HOST:PORT or udp://HOST:PORT")
        }
        guard Muxer.writes(protocol: found.0) else {
            throw TranscodeError(.outputProtocol, "this build of FFmpeg does not write to \(found.0)://")
        }
        return found.1
    }

    private static func container(_ name: String) throws(TranscodeError) -> Container {
        let allowed = CaptureRequest.formats
        guard let container = Container(fileExtension: FileName.split(name).pathExtension),
            allowed.contains(container)
        else {
            throw TranscodeError(
                .outputExtension, "the name '\(name)' has no extension of a file that can be recorded",
                hint: "allowed: \(alternatives(allowed.pathExtensions + [".\(playlistExtension)"]))")
        }
        return container
    }

    /// Whether it drops frames rather than wait: what it shows is now.
    var isLive: Bool {
        switch kind {
        case .live, .standardOutput: true
        case .file, .playlist: false
        }
    }

    /// The name in messages.
    var displayName: String { StandardStream.output(name) }

    /// The name without symbolic links, `.` and `..` in its directory.
    var canonicalName: String { isLive ? name : FileName.canonical(name) }

    /// nil for playlists and networks.
    private var container: Container? {
        switch kind {
        case .file(let container), .standardOutput(let container): container
        case .playlist, .live: nil
        }
    }

    /// Whether it can contain audio. A video byte stream cannot.
    var holdsAudio: Bool { container != .h264 && container != .h265 }

    /// Whether it can contain a display matrix, so that players rotate the frames.
    var holdsDisplayMatrix: Bool { container == .mp4 || container == .mov }

    var muxerName: String {
        switch kind {
        case .file(let container), .standardOutput(let container): container.muxerName
        case .playlist: Container.mp4.muxerName
        case .live(let muxer): muxer
        }
    }

    /// The name of the multivariant playlist next to a live playlist.
    fileprivate var multivariantName: String? {
        guard kind == .playlist else { return nil }
        let (directory, file) = FileName.directory(of: name)
        let beside = SegmentNames(playlist: file).multivariant
        return name.contains("/") ? "\(directory)/\(beside)" : beside
    }

    /// Whether the receiver is an RTMP server, which need not know HEVC: that is enhanced RTMP.
    fileprivate var isRTMP: Bool { kind == .live(muxer: "flv") }

    /// The codecs that it supports.
    var codecs: [VideoCodec] {
        switch kind {
        case .file(let container), .standardOutput(let container): container.videoCodecs.filter { $0 != .av1 }
        case .playlist, .live: [.h264, .hevc]
        }
    }

    func check(_ codec: VideoCodec) throws(TranscodeError) {
        guard !codecs.contains(codec) else { return }
        switch kind {
        case .file(let container), .standardOutput(let container):
            throw TranscodeError(.outputCodec, "\(displayName) is \(container), which cannot hold \(codec)")
        case .playlist: throw TranscodeError(.outputCodec, "'\(name)' is a playlist, which cannot hold \(codec)")
        case .live: throw TranscodeError(.outputCodec, "'\(name)' is a live output, which cannot hold \(codec)")
        }
    }
}

extension CaptureRequest {
    /// Returns the destinations of the outputs.
    func destinations() throws(TranscodeError) -> [CaptureDestination] {
        var found: [CaptureDestination] = []
        for output in outputs {
            let destination = try CaptureDestination(output, codec: codec, format: format ?? Self.defaultFormat)
            if let same = found.first(where: { $0.canonicalName == destination.canonicalName }) {
                let other: Message = same.name == output ? "" : ", also as '\(same.name)'"
                throw TranscodeError(.outputExtension, "the output '\(output)' is named twice" + other)
            }
            found.append(destination)
        }
        if let taken = found.first(where: { outputs.contains($0.multivariantName ?? "") })?.multivariantName {
            throw TranscodeError(
                .outputExtension, "the output '\(taken)' has the name of another output's multivariant playlist")
        }
        _ = try found.onlyCodec()
        guard playlist == LivePlaylistRequest() || found.contains(where: { $0.kind == .playlist }) else {
            throw TranscodeError(
                .needsOption, "segment options require a playlist among the outputs",
                hint: "name an output with the extension .\(CaptureDestination.playlistExtension)")
        }
        guard format == nil || writesPipe else {
            throw TranscodeError(
                .needsOption, "\(option: .format) is for standard output; extensions choose the containers of files",
                hint: "name - among the outputs")
        }
        return found
    }

    /// Opens standard output; nil if it is not among the outputs.
    ///
    /// - Parameter number: Its descriptor.
    package func openPipe(_ number: Int32 = STDOUT_FILENO) throws(TranscodeError) -> CapturePipe? {
        writesPipe ? try CapturePipe(format ?? Self.defaultFormat, descriptor: number) : nil
    }

    /// - Throws: if the first output is not a file that can be recorded.
    package func checkFile() throws(TranscodeError) {
        guard let first = try destinations().first, first.isLive else { return }
        throw TranscodeError(.outputExtension, "\(first.displayName) is not a file")
    }

    /// - Throws: if there are none, or one of the names is invalid.
    package func checkOutputs() throws(TranscodeError) {
        guard try !destinations().isEmpty else {
            throw TranscodeError(.outputExtension, "a recording needs an output: a file name or a URL")
        }
    }

    /// Returns the maximum bit rate for the live outputs; nil without one. For the network there is a default.
    package func maxLiveBitrate(of format: CaptureFormat, _ codec: VideoCodec) throws(TranscodeError) -> Int? {
        let live = try destinations().filter(\.isLive)
        guard bitrate == nil else { return live.isEmpty ? nil : bitrate }
        let hasNetwork = live.contains { if case .live = $0.kind { true } else { false } }
        return hasNetwork ? AdaptiveBitrate.defaultMaximum(format.size, format.frameRate, codec) : nil
    }

    /// Whether all outputs can contain a display matrix.
    package func keepsDisplayMatrix() throws(TranscodeError) -> Bool {
        try destinations().allSatisfy(\.holdsDisplayMatrix)
    }

    /// Whether all outputs can contain a codec.
    package func takes(_ codec: VideoCodec) throws(TranscodeError) -> Bool {
        try destinations().take(codec)
    }

    /// Returns the codec to encode; nil if the outputs leave a choice.
    package func neededCodec() throws(TranscodeError) -> VideoCodec? {
        if let codec { return codec }
        return try destinations().onlyCodec()
    }
}

extension [CaptureDestination] {
    /// Whether all outputs can contain a codec.
    func take(_ codec: VideoCodec) -> Bool { allSatisfy { $0.codecs.contains(codec) } }

    /// Returns the only codec that all outputs support, or the one that every receiver does; nil if there is a choice.
    fileprivate func onlyCodec() throws(TranscodeError) -> VideoCodec? {
        let common = [VideoCodec.h264, .hevc].filter(take)
        guard !common.isEmpty else {
            throw TranscodeError(
                .outputCodec, "no codec is supported by all of these: \(map(\.displayName).joined(separator: ", "))")
        }
        return common.count == 1 || contains(where: \.isRTMP) ? common[0] : nil
    }
}
