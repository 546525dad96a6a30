import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// A plan in the words of the `ffmpeg` command: about the same result, for those who want to see or compare.
enum FFmpegCommand {
    static func arguments(
        for plan: TranscodePlan, _ request: TranscodeRequest, _ shape: FrameFormat, _ sessions: StageSessions
    ) -> [String] {
        var arguments = ["ffmpeg"]
        arguments += places(plan, shape, sessions)
        if let start = request.start { arguments += ["-ss", "\(start)"] }
        // With the matrix kept, ffmpeg must not turn the pixels on its own.
        if plan.video.displayMatrix != nil || plan.video.filter.orientation != .upright {
            arguments.append("-noautorotate")
        }
        arguments += ["-i", plan.input]
        if let duration = request.duration { arguments += ["-t", "\(duration)"] }
        for stream in plan.outputStreams { arguments += ["-map", "0:\(stream.source.index)"] }
        let filters = filters(plan, shape, sessions)
        if !filters.isEmpty { arguments += ["-vf", filters.joined(separator: ",")] }
        arguments += sessions.encoding.ffmpegArguments(for: plan.video.encoder)
        arguments += streamArguments(plan)
        if request.frameRate == nil { arguments += ["-fps_mode", "passthrough", "-enc_time_base", "-1"] }
        if !request.selection.keepsChapters { arguments += ["-map_chapters", "-1"] }
        if !request.selection.keepsMetadata { arguments += ["-map_metadata", "-1"] }
        arguments += containerArguments(plan)
        return arguments + [plan.output]
    }

    /// The GPU, as a decoder or else as what filters and encodes.
    private static func places(_ plan: TranscodePlan, _ shape: FrameFormat, _ sessions: StageSessions) -> [String] {
        let decoding = sessions.decoding.ffmpegPlace(for: shape.pixelFormat).decoding
        // ffmpeg's default decoder of AV1 is libdav1d, which no GPU accelerates.
        let decoder = plan.video.source.codecName == "av1" ? ["-c:v", "av1"] : []
        guard decoding.isEmpty else { return decoding + decoder }
        let others = [sessions.filtering, sessions.encoding].map { $0.ffmpegPlace(for: shape.pixelFormat).opening }
        return others.first { !$0.isEmpty } ?? []
    }

    /// From stage to stage; between two devices frames go through memory.
    private static func filters(_ plan: TranscodePlan, _ shape: FrameFormat, _ sessions: StageSessions) -> [String] {
        let own = sessions.filtering.ffmpegFilters(for: plan.video.filter, source: shape)
        return way(from: sessions.decoding, to: sessions.filtering, shape.pixelFormat) + own
            + way(from: sessions.filtering, to: sessions.encoding, plan.video.filter.pixelFormat)
    }

    private static func way(
        from source: any DeviceSession, to target: any DeviceSession, _ format: PixelFormat
    ) -> [String] {
        guard source.capabilities.device != target.capabilities.device else { return [] }
        return source.ffmpegPlace(for: format).download + target.ffmpegPlace(for: format).upload
    }

    private static func streamArguments(_ plan: TranscodePlan) -> [String] {
        plan.outputStreams.flatMap { stream -> [String] in
            guard let index = stream.outputIndex else { return [] }
            switch stream.action {
            case .encodeVideo, .drop: return []
            case .copy: return ["-c:\(index)", "copy"]
            case .convertSubtitle(let codec): return ["-c:\(index)", codec]
            case .convertAudio(let settings):
                return ["-c:\(index)", settings.codecName] + (settings.bitrate.map { ["-b:\(index)", "\($0)"] } ?? [])
            }
        }
    }

    private static func containerArguments(_ plan: TranscodePlan) -> [String] {
        switch plan.container {
        case .mp4, .mov:
            (plan.video.encoder.codec == .hevc ? ["-tag:v", "hvc1"] : []) + ["-movflags", MuxerOptions.layout(plan)]
        case .ts: ["-mpegts_copyts", "1"]
        case .mkv, .h264, .h265: []
        }
    }
}
