import ExampleMedia
import VTX

/// Encodes a camera's pictures as a mirror shows them.
final class Mirror: Sendable {
    private let session: CompressionSession

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
        do { try session.submit(frame.pixelBuffer.mirrored(), at: frame.time) } catch { print("encoding: \(error)") }
    }

    func finish() async throws {
        try await session.flush()
        session.invalidate()
    }
}

extension PixelBuffer {
    /// The picture as a mirror shows it; NV12 only.
    func mirrored() throws -> PixelBuffer {
        let planes = try [bytes(ofPlane: 0), bytes(ofPlane: 1)]
        let width = size.width
        return try PixelBuffer(size: size, format: .nv12, color: color) { plane, bytes, bytesPerRow in
            // A sample of the second plane is a pair of bytes.
            let step = plane + 1
            let count = (width + plane) / step
            for row in 0..<planes[plane].count / (count * step) {
                for offset in 0..<count * step {
                    let (column, part) = (offset / step, offset % step)
                    let from = (row * count + count - 1 - column) * step + part
                    bytes.storeBytes(
                        of: planes[plane][from], toByteOffset: row * bytesPerRow + offset, as: UInt8.self)
                }
            }
        }
    }
}
