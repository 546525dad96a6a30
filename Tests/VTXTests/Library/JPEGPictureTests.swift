import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTX

@Suite("Frames from JPEG")
struct JPEGPictureTests {
    private static func jpeg(_ index: Int) throws -> [UInt8] {
        let full = ColorDescription(primaries: 1, transfer: 1, matrix: 6, isFullRange: true, chromaLocation: nil)
        return try #require(try JPEG.encode(try Pictures.moving(index, format: .i420, color: full).frame))
    }

    @Test("a decoded JPEG matches its source, in full range")
    func picture() throws {
        let picture = try PixelBuffer(jpeg: try Self.jpeg(3))
        #expect(picture.size == PixelSize(160, 96) && picture.color.isFullRange == true)
        #expect(try picture.psnr(against: try Pictures.moving(3, format: .i420)) > 30)
    }

    @Test("a camera's JPEGs are encoded", arguments: VideoCodec.ofNALUnits)
    func encode(codec: VideoCodec) async throws {
        let pictures = try (0..<6).map { try PixelBuffer(jpeg: try Self.jpeg($0)) }
        let samples = try await Coding.encode(pictures, .small(codec))
        let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.count == 6)
        for (frame, picture) in zip(decoded.frames, pictures) {
            #expect(try #require(frame.pixelBuffer).psnr(against: picture) > 30)
        }
    }

    @Test("truncated, damaged and other data is bad data")
    func damaged() throws {
        let whole = try Self.jpeg(0)
        for bytes in [[], Array(whole.prefix(100)), Array(whole.prefix(whole.count / 2)), [0, 0, 0, 1, 0x67, 1, 2]] {
            let error = #expect(throws: SessionError.self) { _ = try PixelBuffer(jpeg: bytes) }
            #expect(error?.code == .badData, "\(bytes.count) bytes: \(error)")
        }
    }
}
