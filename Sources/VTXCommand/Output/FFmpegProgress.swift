import VTXTask

/// Progress as `ffmpeg -progress` prints it, for programs that already read that.
enum FFmpegProgress {
    static func block(for progress: Progress, isLast: Bool) -> String {
        let microseconds = Int64(exactly: (max(0, progress.seconds) * 1_000_000).rounded()) ?? 0
        let fields = [
            ("frame", "\(progress.frames)"),
            ("fps", Format.tenths(progress.framesPerSecond)),
            ("bitrate", bitrate(of: progress)),
            ("total_size", "\(progress.bytes)"),
            ("out_time_us", "\(microseconds)"),
            // ffmpeg's own `out_time_ms` counts microseconds too; its readers depend on that.
            ("out_time_ms", "\(microseconds)"),
            ("out_time", clock(microseconds)),
            ("dup_frames", "0"),
            ("drop_frames", "0"),
            ("speed", Format.speed(progress.speed)),
            ("progress", isLast ? "end" : "continue"),
        ]
        return fields.map { "\($0)=\($1)\n" }.joined()
    }

    private static func bitrate(of progress: Progress) -> String {
        guard progress.seconds > 0 else { return "N/A" }
        return Format.tenths(Double(progress.bytes) * 8 / 1000 / progress.seconds) + "kbits/s"
    }

    /// `00:01:02.345678`.
    private static func clock(_ microseconds: Int64) -> String {
        let seconds = Int(microseconds / 1_000_000)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Format.twoDigits)
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return parts.joined(separator: ":") + ".\(fraction)"
    }
}
