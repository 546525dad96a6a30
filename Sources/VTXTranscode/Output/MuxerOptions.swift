import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The options with which each of libavformat's muxers keeps everything in the plan.
package enum MuxerOptions {
    static func all(for plan: TranscodePlan) -> [(String, String)] { ofContainer(plan) + interleaving(plan) }

    /// Returns the options for streams whose timestamps are those of their samples.
    ///
    /// - Parameters:
    ///   - timeBase: The time base of the video.
    ///   - moreFlags: Additional `movflags` of MP4 and QuickTime, each after a `+`.
    ///   - path: The name of the output itself.
    package static func all(
        for container: Container, timeBase: Rational, isFragmented: Bool = false, moreFlags: String = "", path: String
    ) -> [(String, String)] {
        switch container {
        case .mp4, .mov:
            [
                // FLAC, and Opus in older versions, count as experimental in MP4; players have caught up.
                ("strict", "experimental"), ("movflags", layout(isFragmented: isFragmented) + moreFlags),
                // Edit lists count in this unit; the default of 1/1000 s would move streams against each other.
                ("movie_timescale", "\(movieTimescale(timeBase))"),
            ]
        // Times before zero are a codec delay, not a shift.
        case .mkv, .webm: [("avoid_negative_ts", "disabled")]
        // Timestamps are the packets', without the muxer's own 1.4 seconds before them.
        case .ts: [("mpegts_copyts", "1"), ("max_delay", "0"), Container.packetOption(for: path)]
        case .h264, .h265: []
        }
    }

    /// Options for interleaving. The streams other than video arrive as early as the last open segment begins, but by
    /// default libavformat waits for the video for at most 10 s.
    private static func interleaving(_ plan: TranscodePlan) -> [(String, String)] {
        guard let encoding = plan.video.encoding, encoding.isCut else { return [] }
        let segments = encoding.openSegmentsPerLane * (encoding.parallelism + 2)
        let seconds = ParallelRequest.segmentSeconds * segments
        return [("max_interleave_delta", "\(seconds * 1_000_000)")]
    }

    private static func ofContainer(_ plan: TranscodePlan) -> [(String, String)] {
        let needsKeys = plan.metadata.contains { ContainerRules.needsKeyList($0.key, in: plan.container) }
        let options = all(
            for: plan.container, timeBase: plan.video.timeBase, isFragmented: plan.isFragmented,
            moreFlags: needsKeys ? "+use_metadata_tags" : "", path: plan.output)
        // The default flags are the plan's, not guessed.
        return options + ([.mkv, .webm].contains(plan.container) ? [("default_mode", "passthrough")] : [])
    }

    /// Whether libavformat would show the first subtitle of an MP4 or QuickTime file although the source shows none.
    static func enablesSubtitleUnasked(_ plan: TranscodePlan) -> Bool {
        let subtitles = plan.outputStreams.filter { $0.source.kind == .subtitle }
        return [.mp4, .mov].contains(plan.container) && !subtitles.isEmpty
            && !subtitles.contains { $0.source.disposition.contains(.default) }
    }

    /// Returns the options of a fragmented file for HLS and DASH players (CMAF, ISO/IEC 23000-19). Each video fragment
    /// begins with a key frame; the writer decides where audio fragments begin.
    static func fragments(of kind: StreamKind, _ plan: TranscodePlan) -> [(String, String)] {
        let cut = kind == .video ? "frag_keyframe" : "frag_custom"
        return [
            // Not "cmaf": libavformat 7.1 does not read back the negative offsets that this writes.
            ("strict", "experimental"), ("brand", "cmfc"),
            ("movflags", "default_base_moof+delay_moov+skip_trailer+\(cut)"),
            // Times before zero are hidden, not moved: all tracks keep theirs.
            ("use_editlist", "1"), ("movie_timescale", "\(movieTimescale(plan.video.timeBase))"),
        ]
    }

    /// Places the index first, or writes a fragment per key frame. The first fragment is delayed until the edit lists
    /// are known.
    static func layout(_ plan: TranscodePlan) -> String { layout(isFragmented: plan.isFragmented) }

    private static func layout(isFragmented: Bool) -> String {
        isFragmented ? "+frag_keyframe+delay_moov+default_base_moof" : "+faststart"
    }

    /// libavformat doubles a video track's timescale until it has at least 10,000 ticks per second; that of the movie
    /// follows.
    static func movieTimescale(_ timeBase: Rational) -> Int {
        var scale = max(1, timeBase.denominator)
        while scale < 10_000 { scale *= 2 }
        return scale
    }
}

/// The subtitle tracks of MP4 and QuickTime. An enabled one is shown without being selected (ISO/IEC 14496-12, 8.3.2:
/// `track_enabled`).
///
/// If no subtitle is the default, libavformat enables the first one, and no option prevents it.
enum SubtitleTracks {
    static func disableAll(in path: String) throws(SystemError) {
        let movie = try MovieBoxes(FileDescriptor(opening: path, O_RDWR))
        for track in movie.all("moov/trak") where isSubtitle(track, of: movie) {
            // `track_enabled` is the lowest bit of the flags, which follow a byte of version.
            guard let flags = movie.all("tkhd", in: track).first.map({ $0.body.lowerBound + 3 }),
                let byte = movie.bytes(1, at: flags)
            else { continue }
            try movie.write(byte[0] & ~1, at: flags)
        }
    }

    private static func isSubtitle(_ track: MovieBoxes.Box, of movie: borrowing MovieBoxes) -> Bool {
        // Version, flags and pre_defined come before the handler's type.
        movie.all("mdia/hdlr", in: track).contains {
            ["sbtl", "subp", "text"].contains(movie.text(at: $0.body.lowerBound + 8))
        }
    }
}
