import VTXTask
import VTXTranscode

extension OptionGroup where Settings == TranscodeSettings {
    static let audio = OptionGroup(
        "Audio",
        [
            .value(
                "audio", .audio, into: \.request.audio,
                "What to do with the audio. copy keeps it as it is, and converts to AAC what the container cannot "
                    + "hold; none leaves it out; a codec's name converts it."),
            .optional(
                "audio-bitrate", .bitrate(from: "6k", to: "10M"), into: \.request.audioBitrate,
                "Bits per second of a converted audio stream. By default it follows the codec and the channels."
            ),
        ])

    static let streams = OptionGroup(
        "Streams",
        [
            .value(
                "video", .position, into: \.request.selection.video,
                "Which of the source's video streams to encode, counted from 0."),
            .value(
                "audio-streams", .streams, into: \.request.selection.audio,
                "Which audio streams to keep, and in which order: all, none, or a list of positions, counted from 0, and "
                    + "languages (en, eng), of which one at least has to be there."),
            .value(
                "subtitle-streams", .streams, into: \.request.selection.subtitles,
                "Which subtitles to keep."),
            .value(
                "data-streams", .streams, into: \.request.selection.data,
                "Which data streams to keep, such as telemetry and timecodes."),
            .value(
                "attachments", .streams, into: \.request.selection.attachments,
                "Which attached files to keep, such as fonts and cover pictures."),
            .flag(
                "no-chapters", sets: \.request.selection.keepsChapters, to: false, "Leave out the chapters."),
            .flag(
                "no-metadata", sets: \.request.selection.keepsMetadata, to: false,
                "Leave out titles, dates, places and other tags."),
        ])

    static let time = OptionGroup(
        "Time",
        [
            .optional(
                "input-fps", .frameRate, into: \.request.inputFrameRate,
                "The frame rate of a raw stream, which has no times. By default what its headers say, and 25 where they "
                    + "say nothing."),
            .optional(
                "start", .timestamp, into: \.request.start,
                "Where in the source to start, in seconds or as [H:]MM:SS."),
            .optional(
                "duration", .timeSpan, into: \.request.duration,
                "How much to transcode, in seconds or as [H:]MM:SS."),
            .value(
                "timestamps", .choice("POLICY"), into: \.request.timestamps,
                "Where the output's timestamps start: source keeps the source's, zero starts at 0, auto keeps "
                    + "them unless they start somewhere arbitrary, as a broadcast's do."
            ).alias("clock"),
        ])
}
