import ExampleMedia
import VTX

/// Encodes a camera's pictures as a mirror shows them.
final class Mirror: Sendable {
    private let session: CompressionSession
    private let flip = PixelRotationSession(flipsHorizontally: true)

    init(_ path: String, size: PixelSize) throws {
        let file = try BinaryFile(path)
        let codec: VideoCodec = path.hasSuffix("h265") ? .hevc : .h264
        var configuration = VideoEncoderConfiguration(size: size, bitrate: 4_000_000, codec: codec)
        configuration.isRealTime = true
        configuration.preset = .fast
        session = try CompressionSession(configuration) { output in
            guard let sample = output.sample else { return }
            do { try file.write(sample.annexB()) } catch { print("writing: \(error)") }
        }
    }

    /// A camera does not wait: what the encoder cannot follow is dropped.
    func take(_ frame: CapturedFrame) {
        do { try session.submit(flip.rotate(frame.pixelBuffer), at: frame.time) } catch { print("encoding: \(error)") }
    }

    func finish() async throws {
        try await session.flush()
        session.invalidate()
    }
}
