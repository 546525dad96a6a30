import VTXFFmpeg
package import VTXLibVA
package import VTXMedia
import VTXSession

/// libavcodec's decoders with VA-API acceleration. Frames are on surfaces.
final class VAAPIDecoder: VideoDecoder {
    private let context: DecoderContext

    init(_ configuration: DecoderConfiguration, on device: HardwareDevice) throws(SessionError) {
        do {
            // Allows plain Baseline from cameras, or High 10 with 8 bits: the tools used matter, not the profile's
            // name.
            context = try DecoderContext(
                configuration.stream, on: device, reorderDepth: configuration.reorderDepth,
                allowsOtherProfile: configuration.isH264 && configuration.traits.softwareTool == nil)
        } catch {
            let codec = configuration.stream.parameters.codecName
            throw SessionError(error, while: "opening the GPU's decoder for \(codec)", else: .unsupportedFormat)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        do { try context.send(packet) } catch { throw explain(error) }
    }

    func reset() { context.reset() }

    func expectReordering(of depth: Int) { context.expectReordering(of: depth) }

    func missingPictures() -> MissingPictures { context.missingPictures() }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output: CodecOutput<Frame>
        do { output = try context.receive() } catch { throw explain(error) }
        guard case .unit(let frame) = output else { return output }
        // If the driver rejects a stream, libavcodec silently decodes it in software.
        guard frame.isOnSurface else {
            throw SessionError(
                .unsupportedFormat, "the GPU does not decode these pictures: \(frame.size), \(frame.pixelFormat)")
        }
        frame.normalizeFullRangeFormat()
        return output
    }

    /// Invalid data is the stream's fault, everything else the GPU's.
    private func explain(_ error: FFmpegError) -> SessionError {
        if error.kind == .outOfResources {
            return SessionError(
                .allocationFailed, "decoding on the GPU: it has no surface left for the next picture: \(error)")
        }
        return SessionError(error, while: "decoding on the GPU", else: .hardwareMalfunction)
    }
}

/// The streams that a `VAProfile` with the entrypoint VLD decodes: libavcodec's name of the codec, and the sample
/// format.
package struct DecodableProfile: Sendable {
    package var profile: Profile
    package var codec: String
    package var chroma: ChromaSampling = .yuv420
    package var bitDepth = 8
    /// The major version of libavcodec from which its VA-API decoder supports this.
    package var libavcodec = 59
    /// The driver's sample format for them; nil for that of the bit depth.
    private var listedDepth: Int?

    /// By va.h's numbers. libavcodec's `vaapi_decode.c` has the same pairs, and its decoders request these sample
    /// formats (`get_format`).
    package static let table: [DecodableProfile] = [
        DecodableProfile(profile: Profile(rawValue: 0), codec: "mpeg2video"),
        DecodableProfile(profile: Profile(rawValue: 1), codec: "mpeg2video"),
        DecodableProfile(profile: Profile(rawValue: 10), codec: "vc1"),
        DecodableProfile(profile: Profile(rawValue: 10), codec: "wmv3"),
        DecodableProfile(profile: Profile(rawValue: 12), codec: "mjpeg"),
        DecodableProfile(profile: Profile(rawValue: 12), codec: "mjpeg", chroma: .yuv422),
        DecodableProfile(profile: Profile(rawValue: 12), codec: "mjpeg", chroma: .yuv444),
        DecodableProfile(profile: .h264ConstrainedBaseline, codec: "h264"),
        DecodableProfile(profile: .h264Main, codec: "h264"),
        DecodableProfile(profile: .h264High, codec: "h264"),
        DecodableProfile(profile: Profile(rawValue: 14), codec: "vp8"),
        DecodableProfile(profile: .hevcMain, codec: "hevc"),
        DecodableProfile(profile: .hevcMain10, codec: "hevc", bitDepth: 10),
        DecodableProfile(profile: .hevcMain422x10, codec: "hevc", chroma: .yuv422),
        DecodableProfile(profile: .hevcMain422x10, codec: "hevc", chroma: .yuv422, bitDepth: 10),
        DecodableProfile(profile: .hevcMain444, codec: "hevc", chroma: .yuv444, libavcodec: 60),
        DecodableProfile(profile: .hevcMain444x10, codec: "hevc", chroma: .yuv444, bitDepth: 10, libavcodec: 60),
        DecodableProfile(profile: Profile(rawValue: 19), codec: "vp9"),
        DecodableProfile(profile: Profile(rawValue: 20), codec: "vp9", chroma: .yuv444, libavcodec: 60),
        DecodableProfile(profile: Profile(rawValue: 21), codec: "vp9", bitDepth: 10),
        DecodableProfile(profile: Profile(rawValue: 22), codec: "vp9", chroma: .yuv444, bitDepth: 10, libavcodec: 60),
        DecodableProfile(profile: .av1Main, codec: "av1"),
        // AV1's Main profile has both bit depths, and Mesa lists 8 bits for it.
        DecodableProfile(profile: .av1Main, codec: "av1", bitDepth: 10, listedDepth: 8),
    ]

    /// Returns what a driver's row decodes; empty for a row without a decoder in libavcodec.
    package static func all(
        in row: DriverCapabilities.Row, libavcodec: Int = FFmpegVersions.libavcodecMajor
    ) -> [DecodableProfile] {
        guard row.entrypoint == .vld else { return [] }
        return table.filter { entry in
            entry.profile == row.profile && entry.libavcodec <= libavcodec
                && entry.rtFormat.map(row.rtFormats.contains) ?? false
        }
    }

    private var rtFormat: RTFormat? { RTFormat(chroma, bitDepth: listedDepth ?? bitDepth) }
}
