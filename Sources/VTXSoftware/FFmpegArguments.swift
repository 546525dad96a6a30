import VTXFFmpeg
import VTXMedia

extension VideoEncoderSettings {
    /// The same settings as the `ffmpeg` command takes them.
    var ffmpegArguments: [String] {
        var arguments = ["-c:v", codecName, "-pix_fmt", formatName]
        if let bitrate { arguments += ["-b:v", "\(bitrate)"] }
        if let maxBitrate { arguments += ["-maxrate", "\(maxBitrate)"] }
        if let bufferSize { arguments += ["-bufsize", "\(bufferSize)"] }
        arguments += ["-g", "\(maxKeyFrameInterval)"]
        if let maxBFrames { arguments += ["-bf", "\(maxBFrames)"] }
        return arguments + options.flatMap { ["-\($0.0)", $0.1] }
    }

    /// The command makes limited range of full range where the format's name does not say "full".
    private var formatName: String {
        guard color.isFullRange == true, pixelFormat.bitDepth == 8, pixelFormat.name.hasPrefix("yuv") else {
            return pixelFormat.name
        }
        return "yuvj" + pixelFormat.name.dropFirst(3)
    }
}
