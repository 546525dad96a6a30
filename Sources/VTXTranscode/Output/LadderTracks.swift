import VTXMedia
import VTXTask

/// A file of a ladder, with one stream.
struct LadderTrack: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// A rendition by its number; the largest is 0.
        case video(Int)
        case audio(StreamPlan)
        case subtitles(StreamPlan)
    }

    var content: Content
    /// The stream's index in the pipeline.
    var stream: Int
    /// The base name of its files: `1080p`, `audio-1`.
    var name: String

    /// The file of the stream.
    var file: String {
        if case .subtitles = content { return "\(name).vtt" }
        return "\(name).mp4"
    }
    var playlist: String { "\(name).m3u8" }
    /// The playlist of key frames only.
    var keyFramePlaylist: String { "\(name)-iframes.m3u8" }
}

extension TranscodePlan {
    /// The files of a ladder: the renditions of the video, audio, subtitles.
    var tracks: [LadderTrack] {
        let video = (ladder?.names ?? []).enumerated().map { number, name in
            LadderTrack(content: .video(number), stream: streamIndex(ofRendition: number), name: name)
        }
        return video + tracks(of: .audio, LadderFiles.audio) { .audio($0) }
            + tracks(of: .subtitle, "subtitles") { .subtitles($0) }
    }

    private func tracks(
        of kind: StreamKind, _ name: String, _ content: (StreamPlan) -> LadderTrack.Content
    ) -> [LadderTrack] {
        outputStreams.filter { $0.source.kind == kind }.enumerated().map { number, stream in
            LadderTrack(content: content(stream), stream: stream.outputIndex ?? 0, name: "\(name)-\(number + 1)")
        }
    }

    /// Returns the plan of a file with only this track.
    func plan(of track: LadderTrack) -> TranscodePlan {
        var plan = self
        plan.ladder = nil
        plan.chapters = []
        switch track.content {
        case .video(let rendition):
            plan.streams = streams.filter { $0.source.index == video.source.index }
            plan.video.encoding = encodings[rendition]
        case .audio(let stream), .subtitles(let stream): plan.streams = [stream]
        }
        for index in plan.streams.indices { plan.streams[index].outputIndex = 0 }
        return plan
    }
}
