import VTXFFmpeg
package import VTXMedia
import VTXTask

/// The capabilities of a container. A table; codecs by their libavcodec names.
package struct ContainerRules: Sendable {
    var container: Container
    var audio: Set<String> = []
    /// Audio codecs that it supports, and hardly any player plays from it.
    var unplayedAudio: Set<String> = []
    /// The codec to which lossless audio is converted that it does not support; nil for that of other audio.
    var losslessAudio: AudioCodec?
    /// Whether it supports any audio codec that libavformat's muxer accepts.
    var takesAnyAudio = false
    var subtitles: Set<String> = []
    /// The codec to which text subtitles are converted; nil if the container has no text subtitles.
    var textSubtitle: String?
    /// The video codecs that can be copied.
    var video: Set<String> = []
    var data: Set<String> = []
    var holdsAttachments = false
    var coverArt: Set<String> = []
    /// Whether cover art is an attachment with a name instead of a stream with one packet.
    var coverArtIsAttached = false
    /// The supported dispositions besides `default`, by their libavformat names.
    var dispositions: Set<String> = []
    var holdsChapters = false
    var holdsMetadata = false
    var holdsLanguages = false
    /// Whether it stores the region of a language (RFC 9559, 12). Others have three letters.
    var holdsRegions: Bool { container == .mkv || container == .webm || hasRenditions }
    var holdsDisplayMatrix = false
    /// Whether what precedes time zero is hidden (ISO/IEC 14496-12, 8.6.6).
    var hasEditLists = false
    /// Whether it stores HDR10's metadata beside the bitstream.
    var holdsHDRMetadata = false
    /// Whether it stores the mapping of 360° video and the packing of 3D video.
    var holdsProjection: Bool { container == .mp4 && !hasRenditions || container == .mkv || container == .webm }
    /// Whether it stores Dolby Vision's configuration record.
    var holdsDolbyVision = false
    /// Whether it has a form without an index for the whole file (ISO/IEC 14496-12, 8.8).
    var canBeFragmented = false

    /// The name in messages.
    var name: String { hasRenditions ? "HLS or DASH" : "\(container)" }
    /// Whether it consists of a ladder's files with one stream each.
    var hasRenditions = false

    static func of(_ container: Container, _ request: TranscodeRequest) -> ContainerRules {
        request.hasRenditions ? ladder : of(container)
    }

    static func of(_ container: Container) -> ContainerRules {
        switch container {
        case .mp4: mp4
        case .mov: mov
        case .mkv: mkv
        case .webm: webm
        case .ts: ts
        case .h264: ContainerRules(container: .h264, video: ["h264"])
        case .h265: ContainerRules(container: .h265, video: ["hevc"])
        }
    }

    private static let mp4 = ContainerRules(
        container: .mp4,
        audio: ["aac", "mp3", "ac3", "eac3", "alac", "flac", "opus", "dts"], unplayedAudio: ["mp2"],
        subtitles: ["mov_text", "dvd_subtitle"], textSubtitle: "mov_text",
        video: ["h264", "hevc", "av1", "vp9", "mpeg4", "mpeg2video", "mpeg1video"],
        coverArt: ["mjpeg", "png", "bmp"],
        dispositions: ["forced", "comment", "hearing_impaired", "visual_impaired", "captions", "descriptions", "dub"],
        holdsChapters: true, holdsMetadata: true, holdsLanguages: true, holdsDisplayMatrix: true,
        hasEditLists: true, holdsHDRMetadata: true, holdsDolbyVision: true, canBeFragmented: true)

    /// What HLS and DASH players support, or some of them for surround.
    private static let ladder = ContainerRules(
        container: .mp4, audio: Set(LadderRequest.audioCodecs.map(\.rawValue)),
        subtitles: ["webvtt"], textSubtitle: "webvtt",
        dispositions: ["forced", "hearing_impaired", "visual_impaired"],
        holdsMetadata: true, holdsLanguages: true, hasEditLists: true, holdsHDRMetadata: true, canBeFragmented: true,
        hasRenditions: true)

    private static let mov = ContainerRules(
        container: .mov,
        audio: [
            "aac", "mp3", "mp2", "ac3", "eac3", "alac", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be",
            "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_u8", "pcm_s8", "pcm_mulaw", "pcm_alaw",
        ],
        subtitles: ["mov_text"], textSubtitle: "mov_text",
        video: ["h264", "hevc", "mpeg4", "mpeg2video", "prores", "mjpeg", "dnxhd", "dvvideo"],
        holdsChapters: true, holdsMetadata: true, holdsLanguages: true, holdsDisplayMatrix: true,
        hasEditLists: true, holdsHDRMetadata: true, canBeFragmented: true)

    private static let mkv = ContainerRules(
        container: .mkv, losslessAudio: .flac, takesAnyAudio: true,
        subtitles: [
            "subrip", "ass", "webvtt", "hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle", "hdmv_text_subtitle",
        ],
        textSubtitle: "subrip",
        video: [
            "h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "prores", "ffv1",
            "theora",
        ],
        holdsAttachments: true, coverArt: ["mjpeg", "png"], coverArtIsAttached: true,
        dispositions: ["forced", "comment", "hearing_impaired", "visual_impaired", "original", "dub", "descriptions"],
        holdsChapters: true, holdsMetadata: true, holdsLanguages: true, holdsHDRMetadata: true,
        holdsDolbyVision: true)

    private static let webm = ContainerRules(
        container: .webm, audio: ["opus", "vorbis"], subtitles: ["webvtt"], textSubtitle: "webvtt",
        video: ["av1", "vp8", "vp9"],
        dispositions: ["forced"],
        holdsChapters: true, holdsMetadata: true, holdsLanguages: true, holdsHDRMetadata: true)

    private static let ts = ContainerRules(
        container: .ts,
        audio: ["mp2", "mp3", "aac", "ac3", "eac3", "dts", "opus"],
        subtitles: ["dvb_subtitle", "dvb_teletext"],
        video: ["h264", "hevc", "mpeg2video", "mpeg1video", "mpeg4"],
        data: ["klv", "timed_id3"],
        dispositions: ["hearing_impaired", "visual_impaired", "clean_effects"],
        holdsLanguages: true)

    func holdsAudio(_ codec: String) -> Bool {
        takesAnyAudio ? Muxer.holds(codec: codec, format: container.muxerName) : audio.contains(codec)
    }

    /// Why audio in this codec is converted.
    func reason(against codec: String) -> String {
        unplayedAudio.contains(codec) ? "browsers do not play \(codec) in \(name)" : "\(name) cannot hold \(codec)"
    }

    /// The codec to which audio is converted; nil if the container has no audio.
    var usualAudio: AudioCodec? { [.aac, .opus].first { holdsAudio($0.rawValue) } }

    /// The codec to which a stream is converted that the container does not support.
    func audio(insteadOf stream: InputStream) -> AudioCodec? {
        (stream.parameters.isLossless ? losslessAudio : nil) ?? usualAudio
    }

    func holds(_ stream: StreamInfo) -> Bool {
        let codec = stream.codecName
        switch stream.kind {
        case .video: return stream.isCoverArt ? coverArt.contains(codec) : video.contains(codec)
        case .audio: return holdsAudio(codec)
        case .subtitle: return subtitles.contains(codec)
        case .data: return data.contains(codec)
        case .attachment: return holdsAttachments
        }
    }

    /// Returns the first container that supports the stream unchanged; nil if vtx writes none.
    static func container(keeping stream: StreamInfo) -> Container? {
        [Container.mkv, .mp4, .mov, .webm, .ts].first { of($0).holds(stream) }
    }

    /// Whether a container supports the packets of a stream unchanged.
    package static func holds(_ stream: StreamInfo, in container: Container) -> Bool { of(container).holds(stream) }

    static func isITunesKey(_ key: String) -> Bool { iTunesKeys.contains(key.lowercased()) }

    /// The tags that libavformat can write to an `ilst` box.
    private static let iTunesKeys: Set<String> = [
        "title", "artist", "album_artist", "composer", "album", "date", "comment", "genre", "copyright", "grouping",
        "lyrics", "description", "synopsis", "show", "episode_id", "network", "keywords", "episode_sort",
        "season_number", "media_type", "hd_video", "gapless_playback", "compilation", "track", "disc", "rating",
        "creation_time", "encoding_tool",
    ]

    /// Whether libavformat's MP4 and QuickTime muxer loses a tag unless it writes a list of keys
    /// (C: `use_metadata_tags`).
    static func needsKeyList(_ key: String, in container: Container) -> Bool {
        !(container == .mov ? quickTimeKeys : iTunesKeys).contains(key.lowercased())
    }

    /// The tags that libavformat can write to a QuickTime file's user data.
    private static let quickTimeKeys: Set<String> = [
        "title", "artist", "author", "album", "date", "comment", "genre", "copyright", "make", "model", "location",
        "creation_time",
    ]
}
