import VTXFFmpeg
import VTXMedia
import VTXSession

/// Tests whether a GPU really maps HDR to SDR. Some drivers list tone mapping but leave frames unchanged; the output
/// then looks gray, and no call fails.
struct ToneMappingTrial {
    let device: OpenedDevice

    private static let size = PixelSize(128, 128)
    private static let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    /// White of 1000 cd/m2, in ten bits of PQ; unchanged, it would be 181 in eight bits.
    private static let luma = 723
    /// The minimum result, because the input is the brightest possible.
    private static let white = 200

    /// - Throws: `.unsupportedFormat` if a white frame does not remain white.
    func run() throws(SessionError) {
        let filter = try VAAPIFilter(Self.configuration, device, triesToneMapping: false)
        try filter.send(try Self.whiteFrame())
        guard case .unit(let frame) = try filter.receive() else {
            throw SessionError(.unsupportedFormat, "its driver returned nothing for an HDR frame")
        }
        let mapped: UInt8?
        do { mapped = try frame.download().planeBytes(0).first } catch {
            throw SessionError(error, while: "reading a tone-mapped frame", else: .hardwareMalfunction)
        }
        guard let mapped, mapped >= Self.white else {
            throw SessionError(
                .unsupportedFormat,
                "its driver lists tone mapping, but maps white to \(mapped ?? 0) instead of \(Self.white) or more")
        }
    }

    private static func whiteFrame() throws(SessionError) -> Frame {
        do throws(FFmpegError) {
            let graph = try FilterGraph(
                generating: "color=size=\(size),format=yuv420p10le,lutyuv=y=\(luma):u=512:v=512")
            guard case .unit(let frame) = try graph.receive() else { throw FFmpegError("av_buffersink_get_frame", -1) }
            frame.color = color
            return frame
        } catch {
            throw SessionError(error, while: "making an HDR frame", else: .allocationFailed)
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
