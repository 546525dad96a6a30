import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The `ffmpeg` command for a plan, with approximately the same result, for inspection and comparison.
struct FFmpegCommand {
    private let plan: TranscodePlan
    private let request: TranscodeRequest
    private let source: Source
    /// nil if the video is copied.
    private let encoding: PreparedEncoding?

    init(_ plan: TranscodePlan, _ request: TranscodeRequest, _ source: Source, _ encoding: PreparedEncoding? = nil) {
        (self.plan, self.request, self.source, self.encoding) = (plan, request, source, encoding)
    }

    private var shape: FrameFormat { source.sample.shape }

    var arguments: [String] {
        var arguments = ["ffmpeg"] + (encoding.map(places) ?? []) + input
        arguments += encoding.map(graph) ?? []
        for stream in plan.outputStreams { arguments += ["-map", output(of: stream)] }
        if let encoding { arguments += video(encoding) }
        arguments += streamArguments + marks
        if encoding != nil, request.frameRate == nil {
            arguments += ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
        }
        if !request.selection.keepsChapters { arguments += ["-map_chapters", "-1"] }
        if !request.selection.keepsMetadata { arguments += ["-map_metadata", "-1"] }
        arguments += timestamps(first: source.demuxer.startTime) + containerArguments
        return arguments + format + [Self.url(plan.output)]
    }

    private var input: [String] {
        var arguments = range
        if let rate = request.inputFrameRate { arguments += ["-r", "\(rate)"] }
        // The filters turn the pixels, or the matrix is kept.
        if encoding != nil, source.displayMatrix != nil { arguments.append("-noautorotate") }
        return arguments + ["-i", Self.url(plan.input)] + additions
    }

    /// The part of each input that is read: filters that change times get it, rather than make it.
    private var range: [String] {
        (request.start.map { ["-ss", "\($0)"] } ?? []) + (request.duration.map { ["-t", "\($0)"] } ?? [])
    }

    /// The format option, if the name of the output does not determine it.
    private var format: [String] {
        let isNamed = Container(fileExtension: FileName.split(plan.output).pathExtension) == plan.container
        return isNamed || plan.ladder != nil ? [] : ["-f", plan.container.muxerName]
    }

    private var additions: [String] {
        let own = bitmaps.map { $0.path == plan.input ? [] : [$0.path] } ?? []
        return (source.added.map { $0.stream.file ?? "" } + own).flatMap { range + ["-i", Self.url($0)] }
    }

    /// `0:1`: the file and the stream in it.
    private func place(of stream: StreamInfo) -> String {
        let file = source.added.firstIndex { $0.stream.index == stream.index }
        return file.map { "\($0 + 1):\(source.added[$0].index)" } ?? "0:\(stream.index)"
    }

    /// Metadata that is not in the files, or that a graph's output does not get from them.
    private var marks: [String] {
        plan.outputStreams.filter(hasMarks).flatMap { stream -> [String] in
            guard let index = stream.outputIndex else { return [] }
            let tags = ["language", "title"].compactMap { key in stream.source.metadata[key].map { "\(key)=\($0)" } }
            let names = stream.source.disposition.names
            return tags.flatMap { ["-metadata:s:\(index)", $0] }
                + (names.isEmpty ? [] : ["-disposition:\(index)", names.joined(separator: "+")])
        }
    }

    private func hasMarks(_ stream: StreamPlan) -> Bool {
        let own = source.stream(stream.source)?.info
        return isFromGraph(stream) || stream.source.file != nil || own?.metadata != stream.source.metadata
            || own?.disposition != stream.source.disposition
    }

    private func video(_ encoding: PreparedEncoding) -> [String] {
        let (filters, stages) = (filters(encoding), encoding.stages)
        let own = stages.sessions.encoding.ffmpegArguments(for: encoding.plan.encoder, in: stages.encoder.mode)
        return (!filters.isEmpty && !hasGraph ? ["-filter:\(videoSpecifier)", filters.joined(separator: ",")] : [])
            + ofVideoAlone(own)
    }

    /// Subtitles that are burned in as bitmaps.
    private var bitmaps: BitmapSubtitles? { encoding?.plan.filter.custom?.subtitles }

    /// Whether the output has no display matrix although the source has.
    private var dropsMatrix: Bool { source.displayMatrix != nil && plan.video.displayMatrix == nil }
    private var hasGraph: Bool { encoding != nil && (bitmaps != nil || dropsMatrix) }

    /// The label of the output of a graph.
    private static let drawn = "[drawn]"

    private func output(of stream: StreamPlan) -> String {
        isFromGraph(stream) ? Self.drawn : place(of: stream.source)
    }

    private func isFromGraph(_ stream: StreamPlan) -> Bool { hasGraph && stream.action == .encodeVideo }

    /// The filters as a graph, if they must be one.
    private func graph(_ encoding: PreparedEncoding) -> [String] {
        guard hasGraph else { return [] }
        let (filters, video) = (filters(encoding), "[\(place(of: plan.video.source))]")
        if let bitmaps { return ["-filter_complex", overlay(bitmaps, filters, on: video) + Self.drawn] }
        let text = video + (filters.isEmpty ? "null" : filters.joined(separator: ",")) + Self.drawn
        // ffmpeg copies the display matrix to the output of filters with a single input.
        return ["-filter_complex", "\(text);\(video)nullsink"]
    }

    /// The filters with bitmap subtitles as their second input.
    private func overlay(_ bitmaps: BitmapSubtitles, _ filters: [String], on video: String) -> String {
        let parts = filters.split(
            separator: BitmapSubtitles.filter, maxSplits: 1, omittingEmptySubsequences: false)
        let (before, after) = (parts.first ?? [], parts.dropFirst().first ?? [])
        let file = bitmaps.path == plan.input ? 0 : source.added.count + 1
        let subtitles = "[\(file):\(bitmaps.streamIndex)]"
        let main = before.isEmpty ? video : "\(video)\(before.joined(separator: ","))[main];[main]"
        return (["\(main)\(subtitles)\(BitmapSubtitles.filter)"] + after).joined(separator: ",")
    }

    /// Restricts pairs of options and values to the encoded video.
    private func ofVideoAlone(_ arguments: [String]) -> [String] {
        let specifier = videoSpecifier
        guard specifier != "v" else { return arguments }
        return arguments.enumerated().map { position, argument in
            guard position.isMultiple(of: 2) else { return argument }
            return (argument.hasSuffix(":v") ? String(argument.dropLast(2)) : argument) + ":" + specifier
        }
    }

    /// The stream specifier of the video. Other video streams, such as cover art, are copied and get no encoder
    /// options.
    private var videoSpecifier: String {
        plan.outputStreams.count { $0.source.kind == .video } == 1 ? "v" : "\(plan.videoIndex)"
    }

    /// Returns a path that ffmpeg does not mistake for a protocol (before a colon) or an option (after a dash).
    static func url(_ path: String) -> String {
        path == StandardStream.path
            ? path
            : path.hasPrefix("-") || path.prefix { $0 != "/" }.contains(":") ? "file:" + path : path
    }

    /// Timestamp options. The output of ffmpeg begins at zero by default.
    private func timestamps(first: MediaTime?) -> [String] {
        let begin = plan.timestamps.seekTarget ?? first ?? MediaTime(0, MediaTime.microseconds)
        if plan.timestamps.offset.ticks == 0, begin.ticks != 0 { return ["-copyts"] }
        let start = begin.seconds - plan.timestamps.offset.seconds
        return start == 0 ? [] : ["-output_ts_offset", "\(start)"]
    }

    /// Options for the GPU: as a decoder, otherwise for filters and encoder.
    private func places(_ encoding: PreparedEncoding) -> [String] {
        let sessions = encoding.stages.sessions
        let decoding = sessions.decoding.ffmpegPlace(for: shape.pixelFormat).decoding
        // ffmpeg's default decoder of AV1 is libdav1d, which no GPU accelerates.
        let decoder = plan.video.source.codecName == "av1" ? ["-c:v", "av1"] : []
        guard decoding.isEmpty else { return decoding + decoder }
        let others = [sessions.filtering, sessions.encoding].map { $0.ffmpegPlace(for: shape.pixelFormat).opening }
        return others.first { !$0.isEmpty } ?? []
    }

    /// The filters from stage to stage. Between two devices frames pass through memory.
    private func filters(_ encoding: PreparedEncoding) -> [String] {
        let (filter, sessions) = (encoding.plan.filter, encoding.stages.sessions)
        let own = sessions.filtering.ffmpegFilters(for: filter, source: shape)
        return way(from: sessions.decoding, to: sessions.filtering, shape.pixelFormat) + own
            + way(from: sessions.filtering, to: sessions.encoding, filter.pixelFormat)
    }

    private func way(
        from source: any DeviceSession, to target: any DeviceSession, _ format: PixelFormat
    ) -> [String] {
        guard source.capabilities.device != target.capabilities.device else { return [] }
        return source.ffmpegPlace(for: format).download + target.ffmpegPlace(for: format).upload
    }

    private var streamArguments: [String] {
        plan.outputStreams.flatMap { stream -> [String] in
            guard let index = stream.outputIndex else { return [] }
            switch stream.action {
            case .encodeVideo, .drop: return []
            case .copy: return ["-c:\(index)", "copy"]
            case .convertSubtitle(let codec): return ["-c:\(index)", codec]
            case .convertAudio(let settings):
                return audioArguments(settings, index, from: stream.source)
            }
        }
    }

    private func audioArguments(
        _ settings: AudioEncoderSettings, _ index: Int, from source: StreamInfo
    ) -> [String] {
        var arguments = ["-c:\(index)", settings.codecName]
        if let bitrate = settings.bitrate { arguments += ["-b:\(index)", "\(bitrate)"] }
        let mixing = settings.channelCount < source.channelCount ? settings.mixingFilter : nil
        let filters = [settings.loudnessFilter, mixing].compactMap(\.self)
        if !filters.isEmpty { arguments += ["-filter:\(index)", filters.joined(separator: ",")] }
        if settings.loudnessFilter != nil { arguments += ["-ar:\(index)", "\(settings.sampleRate)"] }
        return arguments
    }

    /// libavformat counts FLAC in MP4 as experimental.
    private var strictness: [String] {
        let hasFLAC = plan.outputStreams.contains { stream in
            if case .convertAudio(let settings) = stream.action { return settings.codecName == "flac" }
            return stream.action == .copy && stream.source.codecName == "flac"
        }
        return hasFLAC ? ["-strict", "experimental"] : []
    }

    private var isHEVC: Bool {
        encoding.map { $0.plan.codec == .hevc } ?? (plan.video.source.codecName == VideoCodec.hevc.rawValue)
    }

    private var containerArguments: [String] {
        switch plan.container {
        case .mp4, .mov:
            (isHEVC ? ["-tag:\(videoSpecifier)", "hvc1"] : [])
                + ["-movflags", MuxerOptions.layout(plan)] + strictness
        case .ts: ["-mpegts_copyts", "1", "-muxdelay", "0"]
        case .mkv, .webm: plan.timestamps.seekTarget == nil ? ["-avoid_negative_ts", "disabled"] : []
        case .h264, .h265: []
        }
    }
}
