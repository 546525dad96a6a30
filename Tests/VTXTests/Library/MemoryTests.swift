import Testing
import VTX
import VTXTestMedia

@Suite("Memory")
struct LibraryMemoryTests {
    @Test("thousands of frames through both sessions take no more memory than hundreds")
    func flat() async throws {
        let decoded = Collected<Bool>()
        var decoding = VideoDecoderConfiguration(codec: .h264)
        decoding.hardware = .off
        let decoder = try DecompressionSession(decoding) { decoded.add($0.pixelBuffer != nil) }
        let encoder = try CompressionSession(
            .small(.h264) {
                $0.size = PixelSize(64, 64)
                $0.isRealTime = true
            })
        let pool = try PixelBufferPool(size: PixelSize(64, 64), format: .i420)
        async let finished: Void = {
            for try await sample in encoder.samples { try await decoder.decode(sample) }
        }()
        var early = 0
        for index in 0..<4000 {
            if index == 1000 { early = try ProcessMemory.resident() }
            let picture = try pool.makeBuffer { _, bytes, _ in
                for offset in 0..<bytes.byteCount {
                    bytes.storeBytes(of: UInt8((offset + index) & 127), toByteOffset: offset, as: UInt8.self)
                }
            }
            try await encoder.encode(picture, at: .frame(index))
        }
        try await encoder.flush()
        encoder.invalidate()
        try await finished
        try await decoder.flush()
        #expect(decoded.all.count == 4000 && decoded.all.allSatisfy { $0 })
        #expect(try ProcessMemory.resident() - early < 24 << 20)
    }
}

enum ProcessMemory {
    /// Bytes that the process has in memory, all its threads together.
    static func resident() throws -> Int {
        let text = String(decoding: try Files.readAll("/proc/self/statm"), as: UTF8.self)
        return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
    }
}
