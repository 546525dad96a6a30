import CFFmpeg

/// The versions of the libraries that are really loaded, not those that were compiled against.
package enum FFmpegVersions {
    package static var linked: [(name: String, version: String)] {
        [
            ("FFmpeg", String(cString: av_version_info())),
            ("libavcodec", text(avcodec_version())),
            ("libavformat", text(avformat_version())),
            ("libavfilter", text(avfilter_version())),
            ("libavutil", text(avutil_version())),
            ("libswscale", text(swscale_version())),
        ]
    }

    /// 59 in FFmpeg 5, 61 in FFmpeg 7.
    package static var libavcodecMajor: Int { Int(avcodec_version() >> 16) }

    /// C: `AV_VERSION_INT`, read backwards.
    private static func text(_ packed: UInt32) -> String {
        "\(packed >> 16).\(packed >> 8 & 0xff).\(packed & 0xff)"
    }
}
