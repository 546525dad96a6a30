import VTXMedia

/// Pictures as JPEG, whose colors are BT.601's in full range (JFIF).
package enum JPEG {
    /// - Parameter picture: 4:2:0 in full range.
    /// - Returns: nil where the encoder makes nothing of it.
    package static func encode(_ picture: Frame) throws(FFmpegError) -> [UInt8]? {
        picture.normalizeFullRangeFormat()
        let encoder = try EncoderContext(video: settings(for: picture))
        try encoder.send(picture)
        try encoder.send(nil)
        guard case .unit(let packet) = try encoder.receive() else { return nil }
        return Array(packet.bytes)
    }

    /// - Returns: nil if it is incomplete or damaged.
    package static func decode(_ bytes: RawSpan) throws(FFmpegError) -> Frame? {
        // One decoder for each: tables and marks of a picture stay in it for the next, which may be another camera's.
        let parameters = try CodecParameters(selfContained: "mjpeg", size: PixelSize(0, 0))
        let decoder = try DecoderContext(InputStream(parameters, timeBase: MediaTime.microseconds), threads: 1)
        try decoder.send(
            try Packet(copying: bytes, pts: 0, dts: 0, duration: 0, timeBase: MediaTime.microseconds))
        guard case .unit(let frame) = try decoder.receive(), !frame.isCorrupt else { return nil }
        frame.normalizeFullRangeFormat()
        return frame
    }

    private static func settings(for picture: Frame) -> VideoEncoderSettings {
        var settings = VideoEncoderSettings(
            codecName: "mjpeg", size: picture.size, pixelFormat: picture.pixelFormat, timeBase: picture.timeBase,
            frameRate: Rational(25, 1), maxKeyFrameInterval: 1, usesGlobalHeader: false)
        settings.color.isFullRange = true
        // About 30 kB of 320x180.
        settings.bitrate = picture.size.width * picture.size.height * 100
        settings.options = [("strict", "unofficial")]
        settings.threads = 1
        return settings
    }
}
