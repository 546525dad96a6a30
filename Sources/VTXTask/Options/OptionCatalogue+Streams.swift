import VTXMedia
import VTXSystem

extension OptionCatalogue {
    static let audio: [RequestOption] = [
        .value(
            .audio, in: .audio, .audio, into: \.audio,
            "What to do with the audio. copy keeps it as it is, and converts to AAC what the container cannot hold; none leaves it out; a codec's name converts it."
        ),
        .optional(
            .audioBitrate, in: .audio, .audioBitrate, into: \.audioBitrate,
            "Bits per second of a converted audio stream. By default it follows the codec and the channels."),
        .optional(
            .audioChannels, in: .audio, .choice("LAYOUT"), into: \.audioChannels,
            "The most channels. An audio stream with more is mixed down, with the center, where the dialogue is, as loud as the front; one with fewer stays as it is."
        ),
        .optional(
            .loudness, in: .audio, .loudness, into: \.loudness,
            "Bring all audio to this loudness (EBU R 128), in LUFS, such as -16 for streams and -23 for broadcasts. Quiet passages are raised more than loud ones, and what goes into the encoder has no peak above -1.5 dBTP. Audio is converted for it."
        ),
        .list(
            .audioTrack, in: .audio, .audioTrack, into: \.audioTracks,
            "One audio stream of the output, in place of all of the source's: WHICH is all, or positions and languages as in \(option: .audioStreams), and after it come, each after a colon, a codec or copy, bitrate=, channels= and loudness=, as the options of those names have them, and language=, title= and default. What it does not say, these options say for all. May be given several times, in the output's order, also for the same stream: 0:copy and 0:aac:channels=stereo."
        ),
    ]

    static let streams: [RequestOption] = [
        .flag(
            .copyVideo, in: .streams, into: \.copiesVideo,
            "Copy the video as it is, to put it into another container, to convert the audio alone, or to cut without a loss: with \(option: .start) the output begins at the key frame before. No GPU has a part in it, and no journal is kept."
        ),
        .value(
            .videoStream, in: .streams, .position, into: \.selection.video,
            "Which of the source's video streams to encode, counted from 0."),
        .value(
            .audioStreams, in: .streams, .streams, into: \.selection.audio,
            "Which audio streams to keep, and in which order: all, none, or a list of positions, counted from 0, and languages (en, eng), of which one at least has to be there."
        ),
        .value(
            .subtitleStreams, in: .streams, .streams, into: \.selection.subtitles, "Which subtitles to keep."),
        .list(
            .addAudio, in: .streams, .addedAudio, into: \.addedAudio,
            "Put the first audio stream of another file beside the source's own, after them: FILE, and after it any of :language=deu, :title=TEXT and :default. The language is the option's, the file's own, or that of a name such as movie.deu.mka. Times count from the source's beginning. May be given several times. For the command alone: a service refuses it."
        ),
        .list(
            .addSubtitles, in: .streams, .addedSubtitles, into: \.addedSubtitles,
            "Likewise subtitles, of .srt, .ass and .vtt files and of any container, and after FILE also :forced. Names such as movie.de.forced.srt say some of that. Text has to be UTF-8, or UTF-16 with its mark."
        ),
        .value(
            .dataStreams, in: .streams, .streams, into: \.selection.data,
            "Which data streams to keep, such as telemetry and timecodes."),
        .value(
            .attachments, in: .streams, .streams, into: \.selection.attachments,
            "Which attached files to keep, such as fonts and cover pictures."),
        .flag(.chapters, in: .streams, into: \.selection.keepsChapters, "Whether to keep the chapters."),
        .flag(
            .metadata, in: .streams, into: \.selection.keepsMetadata,
            "Whether to keep titles, dates, places and other tags."),
    ]

    static let time: [RequestOption] = [
        .optional(
            .inputFrameRate, in: .time, .frameRate, into: \.inputFrameRate,
            "The frame rate of a raw stream, which has no times. By default what its headers say, and 25 where they say nothing."
        ),
        .optional(
            .start, in: .time, .timestamp, into: \.start,
            "Where in the source to start, in seconds or as [H:]MM:SS."),
        .optional(
            .duration, in: .time, .timeSpan, into: \.duration,
            "How much to transcode, in seconds or as [H:]MM:SS."),
        .value(
            .timestamps, in: .time, .choice("POLICY"), into: \.timestamps,
            "Where the output's timestamps start: source keeps the source's, zero starts at 0, auto keeps them unless they start somewhere arbitrary, as a broadcast's do."
        ),
    ]

    static let output: [RequestOption] = [
        .value(
            .overwrite, in: .output, .choice("POLICY"), into: \.overwrite,
            "What to do where the output exists: refuse to work, skip it, or replace it once the new file is whole and checked."
        ),
        .flag(
            .replace, in: .output, into: \.replacesSource,
            "Put the output in the source's place, once every frame of it has been decoded and compared, with the "
                + "source's times, owner, permissions and extended attributes. A name whose extension is no container of "
                + "vtx's gets .mp4. For the command alone: a service refuses it."),
        .optional(
            .format, in: .output, .container, into: \.format,
            "The container, whatever the output's name ends in. Without it the name's extension says which, and standard output gets Matroska."
        ),
        .flag(
            .fragmented, in: .output, into: \.isFragmented,
            "Write MP4 or MOV in fragments, each with an index of its own, instead of one index in front. Standard output always gets fragments."
        ),
        .flag(
            .hls, in: .output, into: \.writesHLS,
            "Write a directory with several renditions of the video, each smaller than the one before, and the playlists by "
                + "which players choose among them (HLS, with segments of fragmented MP4). Audio and subtitles are there "
                + "once. It is H.264 where no codec is said."),
        .flag(
            .dash, in: .output, into: \.writesDASH,
            "Likewise with a manifest of MPEG-DASH; with \(option: .hls) both lead to the same segments."),
        .optional(
            .ladder, in: .output, .ladder, into: \.ladder,
            "The renditions of \(option: .hls) and \(option: .dash), each as the height of a picture of 16:9 and its bit rate: "
                + "1080:5M,720:3M,480:1.2M. auto, the default, goes by the source's size, rate and frame rate. Alone, it writes "
                + "HLS."),
        .optional(
            .segmentDuration, in: .output, .count(from: 1, to: 60), into: \.segmentDuration,
            "Seconds of a segment of \(option: .hls) and \(option: .dash). By default 6. Key frames are 2 s apart, or as "
                + "\(option: .keyFrameInterval) says, at the same times in all renditions."),
        .optional(
            .maxSizeRatio, in: .output, .ratio, into: \.maxSizeRatio,
            "Stop as soon as the output is going to be larger than this share of the source, and leave none. Nothing is "
                + "stopped in the first tenth, where little is known."),
        .optional(
            .verify, in: .output, .choice("LEVEL"), into: \.verification,
            "How much of the finished output is decoded again and compared with what was encoded, before it has its name: full is every frame; sample is the first and last group of pictures, one in ten and a key frame every 4 s; off is none. Its streams, times and number of frames are checked in each case. By default sample, and full with \(option: .replace)."
        ),
        .flag(
            .failOnDowngrade, in: .output, into: \.forbidsDowngrades,
            "Fail where something of the source would be lost, instead of saying so."),
    ]
}
