package import VTXFFmpeg
package import VTXMedia
package import VTXSession
import VTXTestMedia

/// The requirements on every backend, as functions over any backend, which each backend's tests call. libavcodec's
/// decoders in memory check the output.
package struct Conformance: Sendable {
    let backend: any VideoBackend
    let device: DeviceID

    /// - Parameter device: a device from `probe`.
    package init(_ backend: any VideoBackend, device: DeviceID) {
        self.backend = backend
        self.device = device
    }

    package func openSession() throws -> any DeviceSession { try backend.openSession(on: device) }

    package func makeEncoder(_ configuration: EncoderConfiguration) throws -> any VideoEncoder {
        try openSession().makeEncoder(configuration)
    }

    /// 160x96, 8 bits, 25 frames a second, a key frame every 12.
    package static func configuration(
        _ codec: VideoCodec, _ change: (inout EncoderConfiguration) -> Void = { _ in }
    ) -> EncoderConfiguration {
        var configuration = EncoderConfiguration(
            codec: codec, profile: profile(of: codec), size: PixelSize(160, 96),
            pixelFormat: .planar(.yuv420, bitDepth: 8), timeBase: Rational(1, 1000), frameRate: Rational(25, 1),
            rateControl: .bitrate(average: 1_000_000, max: nil), preset: .fast, maxKeyFrameInterval: 12)
        change(&configuration)
        return configuration
    }

    private static func profile(of codec: VideoCodec) -> VideoProfile {
        switch codec {
        case .h264: .high
        case .hevc: .hevcMain
        case .av1: .av1Main
        }
    }

    /// Frames that fit a configuration, 40 ms apart.
    package static func frames(
        _ count: Int, for configuration: EncoderConfiguration, picture: String = "testsrc2"
    ) throws -> [Frame] {
        try VideoRecipe {
            $0.picture = picture
            $0.size = configuration.size
            $0.pixelFormat = configuration.pixelFormat.name
            $0.timeBase = configuration.timeBase
            $0.frameCount = count
            $0.color = configuration.color
            $0.sampleAspectRatio = configuration.sampleAspectRatio
        }.makeFrames()
    }
}
