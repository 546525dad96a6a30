import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// What each of libavformat's muxers has to be told so that nothing of the plan is lost.
package enum MuxerOptions {
    static func all(for plan: TranscodePlan) -> [(String, String)] { ofContainer(plan) + interleaving(plan) }

    /// For streams whose times are those of their samples.
    ///
    /// - Parameters:
    ///   - timeBase: of the video.
    ///   - moreFlags: of MP4 and QuickTime (C: `movflags`), each after a `+`.
    ///   - path: the output's own name.
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

    /// What is beside the video comes as early as the last segment that is open. For more than 10 s, libavformat does not
    /// wait for the video unless it is told to.
    private static func interleaving(_ plan: TranscodePlan) -> [(String, String)] {
        guard let encoding = plan.video.encoding, encoding.parallelism > 1 else { return [] }
        let segments = encoding.openSegmentsPerLane * (encoding.parallelism + 2)
        let seconds = ParallelRequest.segmentSeconds * segments
        return [("max_interleave_delta", "\(seconds * 1_000_000)")]
    }

    private static func ofContainer(_ plan: TranscodePlan) -> [(String, String)] {
        // Tags that iTunes does not know need QuickTime's own list of keys.
        let needsKeys = plan.metadata.contains { !ContainerRules.isITunesKey($0.key) }
        let options = all(
            for: plan.container, timeBase: plan.video.timeBase, isFragmented: plan.isFragmented,
            moreFlags: needsKeys ? "+use_metadata_tags" : "", path: plan.output)
        // The default flags are the plan's, not guessed.
        return options + ([.mkv, .webm].contains(plan.container) ? [("default_mode", "passthrough")] : [])
    }

    /// libavformat shows the first subtitle of MP4 and QuickTime files where the source shows none.
    static func enablesSubtitleUnasked(_ plan: TranscodePlan) -> Bool {
        let subtitles = plan.outputStreams.filter { $0.source.kind == .subtitle }
        return [.mp4, .mov].contains(plan.container) && !subtitles.isEmpty
            && !subtitles.contains { $0.source.disposition.contains(.default) }
    }

    /// A file of fragments that players of HLS and DASH take (CMAF, ISO/IEC 23000-19): each fragment of video begins with a
    /// key frame, and where audio's begin is for the one to say who writes it.
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

    /// The index before everything, or a fragment for each key frame: the first one waits until the edit lists are
    /// known.
    static func layout(_ plan: TranscodePlan) -> String { layout(isFragmented: plan.isFragmented) }

    private static func layout(isFragmented: Bool) -> String {
        isFragmented ? "+frag_keyframe+delay_moov+default_base_moof" : "+faststart"
    }

    /// libavformat doubles a video track's time scale until it has 10,000 ticks a second; the movie's follows it.
    static func movieTimescale(_ timeBase: Rational) -> Int {
        var scale = max(1, timeBase.denominator)
        while scale < 10_000 { scale *= 2 }
        return scale
    }
}

/// MP4's and QuickTime's subtitle tracks: an enabled one is shown without being asked for (ISO/IEC 14496-12, 8.3.2:
/// `track_enabled`).
///
/// Where no subtitle is the default one, libavformat enables the first, and no option forbids it.
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
