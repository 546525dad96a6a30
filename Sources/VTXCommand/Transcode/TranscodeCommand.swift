import VTXTask

extension Command {
    static let transcode = Command(
        "transcode", "convert a video file to HEVC or H.264",
        details: [
            "Reads INPUT, encodes its video and writes OUTPUT with everything else that the source holds: audio, "
                + "subtitles, chapters, rotation, colors and tags. What cannot be kept is named on standard "
                + "error, and with --no-downgrade it ends the command.",
            "The output appears under its name only when it is whole and has been checked. An existing file is "
                + "not touched without --overwrite.",
        ],
        grammar: .transcode,
        examples: [
            Example("vtx transcode holiday.mov", "A new file beside the input; vtx decides the rest"),
            Example("vtx transcode in.mkv out.mp4 --h264 --quality 75", "H.264 for old players"),
            Example(
                "vtx transcode in.mkv out.mp4 --bitrate 5M --max-bitrate 8M", "A predictable file size"),
            Example("vtx transcode in.mkv out.mp4 --size 1280x720 --audio aac", "Smaller, with AAC audio"),
            Example(
                "vtx transcode in.ts out.mkv --start 1:30 --duration 10:00", "Ten minutes out of a recording"),
            Example("vtx transcode in.mkv out.mp4 --hdr sdr", "HDR for displays without it"),
            Example("vtx transcode *.mov videos/ --output-dir out", "Many files, one after the other"),
            Example("vtx transcode in.mkv --explain", "What would be done, and why"),
        ],
        run: { (given: TranscodeSettings, console: Console) throws(UsageError) -> ExitCode in
            let settings = try given.checked()
            if let plan = try settings.batch() {
                return BatchRun(plan: plan, settings: settings, console: console).run()
            }
            let run = TranscodeRun(settings, console)
            return settings.explains ? run.explain() : run.transcode()
        })
}
