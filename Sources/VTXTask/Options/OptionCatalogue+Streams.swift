import VTXMedia
import VTXSystem

extension OptionCatalogue {
    static let audio: [RequestOption] = [
        .value(
            .audio, in: .audio, .audio, into: \.audio,
            "Audio codec. copy keeps each stream as it is, and converts to AAC what the container cannot hold; none leaves audio out; others convert it."
        ),
        .optional(
            .audioBitrate, in: .audio, .audioBitrate, into: \.audioBitrate,
            "Bit rate of converted audio in bits per second. By default it depends on the codec and the number of channels."
        ),
        .optional(
            .audioChannels, in: .audio, .choice("LAYOUT"), into: \.audioChannels,
            "Downmix streams that have more channels than this layout. The center channel, which has the dialogue, is mixed in at full level."
        ),
        .optional(
            .loudness, in: .audio, .loudness, into: \.loudness,
            "Normalize the loudness (EBU R 128) to this value in LUFS, such as -16 for streaming. The audio is measured first, and gets a linear gain; peaks are limited to a true peak of -3 dBTP before a lossy encoder and -1.5 dBTP before FLAC. Audio is converted."
        ),
        .list(
            .audioTrack, in: .audio, .audioTrack, into: \.audioTracks,
            "An audio stream of the output; with this option no other is copied. WHICH is all, or positions and languages as in \(option: .audioStreams). After it may follow, separated by colons, a codec or copy, bitrate=, channels= and loudness=, as in the options of those names, and language=, title= and default. May be given several times, in the output's order, also for the same stream: 0:copy and 0:aac:channels=stereo."
        ),
    ]

    static let streams: [RequestOption] = [
        .flag(
            .copyVideo, in: .streams, into: \.copiesVideo,
            "Copy the video without encoding it, to change the container, to convert only the audio, or to cut without loss; with \(option: .start) the output begins at the key frame before. Uses no GPU, and keeps no journal."
        ),
        .value(
            .videoStream, in: .streams, .position, into: \.selection.video,
            "Video stream to encode, counted from 0."),
        .value(
            .otherVideo, in: .streams, .streams, into: \.selection.otherVideo,
            "Which other video streams to copy into the output, such as a second angle: all, none, or a list of positions, counted as by \(option: .videoStream), and languages."
        ),
        .value(
            .audioStreams, in: .streams, .streams, into: \.selection.audio,
            "Audio streams to keep, in the output's order: all, none, or a list of positions, counted from 0, and languages (en, eng). At least one of those in the list must exist."
        ),
        .value(
            .subtitleStreams, in: .streams, .streams, into: \.selection.subtitles, "Subtitle streams to keep."),
        .list(
            .addAudio, in: .streams, .addedAudio, into: \.addedAudio,
            "Add the first audio stream of another file after the source's own. FILE may be followed by :language=deu, :title=TEXT and :default. Without a language, it is the file's own, or that of a name such as movie.deu.mka. Timestamps count from the source's start. May be given several times."
        ),
        .list(
            .addSubtitles, in: .streams, .addedSubtitles, into: \.addedSubtitles,
            "Add subtitles from a .srt, .ass or .vtt file or from any container, with the same suffixes and :forced. Languages and forced are also read from names such as movie.de.forced.srt. Text must be UTF-8, or UTF-16 with a byte order mark."
        ),
        .value(
            .dataStreams, in: .streams, .streams, into: \.selection.data,
            "Data streams to keep, such as telemetry and timecodes."),
        .value(
            .attachments, in: .streams, .streams, into: \.selection.attachments,
            "Attachments to keep, such as fonts and cover art."),
        .flag(.chapters, in: .streams, into: \.selection.keepsChapters, "Whether to keep the chapters."),
        .flag(
            .metadata, in: .streams, into: \.selection.keepsMetadata,
            "Whether to keep titles, dates, locations and other tags."),
    ]

    static let time: [RequestOption] = [
        .optional(
            .inputFrameRate, in: .time, .frameRate, into: \.inputFrameRate,
            "Frame rate of a raw stream, which has no timestamps. By default the one in its headers, otherwise 25."
        ),
        .optional(
            .start, in: .time, .timestamp, into: \.start,
            "Start position in the source, in seconds or as [H:]MM:SS."),
        .optional(
            .duration, in: .time, .timeSpan, into: \.duration,
            "Duration to transcode, in seconds or as [H:]MM:SS."),
        .value(
            .timestamps, in: .time, .choice("POLICY"), into: \.timestamps,
            "Where the output's timestamps start: source keeps the source's, zero starts at 0, auto keeps the source's, except for MPEG-TS, MPEG-PS and Ogg, which start at an arbitrary value: they start at 0."
        ),
    ]

    static let output: [RequestOption] = [
        .value(
            .overwrite, in: .output, .choice("POLICY"), into: \.overwrite,
            "What to do if the output exists: refuse to work, skip it, or replace it once the new file is complete and verified."
        ),
        .flag(
            .replace, in: .output, into: \.replacesSource,
            "Replace the source with the output after every frame has been decoded and compared. The source's times, owner, permissions and extended attributes are kept. An extension that is not a container's becomes .mp4. The service needs its administrator's permission."
        ),
        .optional(
            .skipCodecs, in: .output, .skippedCodecs, into: \.skippedCodecs,
            "Skip sources whose video has one of these codecs, such as hevc,av1. auto is the codec that the output would have, unless its pictures, its bit rate or its size would change too. By default none; with \(option: .replace) auto. Not available in the service."
        ),
        .optional(
            .format, in: .output, .container, into: \.format,
            "Output container. By default the output's extension decides, and standard output is Matroska."
        ),
        .flag(
            .fragmented, in: .output, into: \.isFragmented,
            "Write fragmented MP4 or MOV, with an index in each fragment instead of one for the file. Standard output is always fragmented."
        ),
        .flag(
            .hls, in: .output, into: \.writesHLS,
            "Write a directory with several renditions of the video, segments of fragmented MP4, and HLS playlists. Audio and subtitles are stored once. Without a codec, it is H.264, or HEVC for HDR."
        ),
        .flag(
            .dash, in: .output, into: \.writesDASH,
            "Write an MPEG-DASH manifest. With \(option: .hls) both use the same segments."
        ),
        .optional(
            .ladder, in: .output, .ladder, into: \.ladder,
            "Renditions for \(option: .hls) and \(option: .dash), each a height at 16:9 and a bit rate: 1080:5M,720:3M,480:1.2M. auto, the default, chooses by the source's size, bit rate and frame rate. Without \(option: .hls) and \(option: .dash) it writes HLS."
        ),
        .optional(
            .segmentDuration, in: .output, .count(from: 1, to: 60), into: \.segmentDuration,
            "Segment duration of \(option: .hls) and \(option: .dash) in seconds. By default 6. Key frames are 2 s apart, or as \(option: .keyFrameInterval) says, at the same times in all renditions."
        ),
        .optional(
            .maxSizeRatio, in: .output, .ratio, into: \.maxSizeRatio,
            "Stop, and leave no output, as soon as the output is projected to be larger than this fraction of the source. Projections begin after the first tenth."
        ),
        .optional(
            .verify, in: .output, .choice("LEVEL"), into: \.verification,
            "How much of the output to decode and compare with what was encoded, before it gets its name: full is every frame; sample is the first and last group of pictures, one in ten, and a key frame every 4 s; off is none. Streams, timestamps and the number of frames are always checked. By default sample, and full with \(option: .replace)."
        ),
        .flag(
            .failOnDowngrade, in: .output, into: \.forbidsDowngrades,
            "Fail instead of losing anything from the source."),
    ]
}
