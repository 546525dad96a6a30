import VTXFFmpeg
import VTXMedia
import VTXSession

/// Whether a GPU really makes SDR of HDR. Some drivers say so and leave the picture as it is, which then looks gray,
/// and nothing else would tell.
enum ToneMappingTrial {
    private static let size = PixelSize(128, 128)
    private static let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    /// Of a white of 1000 cd/m2, in ten bits of PQ; as it is, that is 181 in eight.
    private static let luma = 723
    /// What it has to be at least where it is the brightest there is.
    private static let white = 200

    /// - Throws: where the picture does not come out as SDR.
    static func run(in session: VAAPISession) throws(SessionError) {
        let filter = try VAAPIFilter(configuration, session)
        try filter.send(try picture())
        guard case .unit(let frame) = try filter.receive() else {
            throw SessionError(.unsupportedFormat, "its driver gave nothing back for a picture in HDR")
        }
        let mapped: UInt8?
        do { mapped = try frame.download().planeBytes(0).first } catch {
            throw SessionError(error, while: "looking at a picture that was HDR", else: .hardwareMalfunction)
        }
        guard let mapped, mapped >= white else {
            throw SessionError(
                .unsupportedFormat,
                "its driver says that it makes SDR of HDR, but makes \(mapped ?? 0) of white, not \(white) or more")
        }
    }

    private static func picture() throws(SessionError) -> Frame {
        do throws(FFmpegError) {
            let graph = try FilterGraph(
                generating: "color=size=\(size),format=yuv420p10le,lutyuv=y=\(luma):u=512:v=512")
            guard case .unit(let frame) = try graph.receive() else { throw FFmpegError("av_buffersink_get_frame", -1) }
            frame.color = color
            return frame
        } catch {
            throw SessionError(error, while: "making a picture in HDR", else: .allocationFailed)
        }
    }

    private static var configuration: FilterConfiguration {
        var configuration = FilterConfiguration(
            size: size, pixelFormat: .planar(.yuv420, bitDepth: 8), color: .bt709, scaling: .fill, isSquare: false,
            deinterlacing: .never, orientation: .upright, frameRate: nil, sourceFrameRate: Rational(25, 1),
            timeBase: Rational(1, 25))
        configuration.toneMapping = ToneMapping(source: color, metadata: HDRMetadata())
        return configuration
    }
}
