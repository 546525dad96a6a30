import VTXFFmpeg
import VTXMedia
import VTXSession

/// What x264 and x265 take, as far as this build of libavcodec has them.
enum SoftwareCapabilities {
    static let matrix = CapabilityMatrix(
        device: SoftwareBackend.device, deviceName: "software (libavcodec)", isHardware: false,
        encoders: VideoProfile.allCases.filter { EncoderContext.exists(encoderName(for: $0.codec)) }.map(row))

    static func encoderName(for codec: VideoCodec) -> String {
        switch codec {
        case .h264: "libx264"
        case .hevc: "libx265"
        }
    }

    private static func row(_ profile: VideoProfile) -> EncoderCapability {
        switch profile.codec {
        case .h264:
            EncoderCapability(
                codec: .h264, profile: profile, minSize: PixelSize(2, 2), maxSize: PixelSize(16384, 16384),
                keepsCaptions: true)
        case .hevc:
            EncoderCapability(
                codec: .hevc, profile: profile, minSize: PixelSize(16, 16), maxSize: PixelSize(8192, 8192),
                keepsCaptions: X265Options.canWriteCaptions)
        }
    }
}
