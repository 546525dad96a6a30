import VTXFFmpeg
import VTXMedia

extension VideoEncoderSettings {
    /// The same settings as the `ffmpeg` command takes them.
    var ffmpegArguments: [String] {
        var arguments = ["-c:v", codecName, "-pix_fmt", pixelFormat.name]
        if let bitrate { arguments += ["-b:v", "\(bitrate)"] }
        if let maxBitrate { arguments += ["-maxrate", "\(maxBitrate)"] }
        if let bufferSize { arguments += ["-bufsize", "\(bufferSize)"] }
        arguments += ["-g", "\(maxKeyFrameInterval)"]
        if let maxBFrames { arguments += ["-bf", "\(maxBFrames)"] }
        return arguments + options.flatMap { ["-\($0.0)", $0.1] }
    }
}
