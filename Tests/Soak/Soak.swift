import Glibc
import VTX

/// Passes frames through a compression and a decompression session at full speed.
///
/// Memory is flat if the second half of the run never uses more than the first half, except for a few pages.
@main
struct Soak {
    static func main() async {
        do {
            try await Soak(SoakOptions(CommandLine.arguments.dropFirst())).run()
        } catch {
            print("soak: \(error)")
            exit(1)
        }
    }

    private let options: SoakOptions
    private let encoder: CompressionSession
    private let decoder: DecompressionSession

    private init(_ options: SoakOptions) throws {
        self.options = options
        var encoding = VideoEncoderConfiguration(
            size: PixelSize(160, 96), bitrate: 400_000, fps: 30, codec: options.codec)
        encoding.preset = .fast
        encoding.hardware = options.hardware
        encoder = try CompressionSession(encoding)
        var decoding = VideoDecoderConfiguration(codec: options.codec)
        decoding.hardware = options.hardware
        // On a GPU, no frame may be copied back.
        decoding.keepsSurfaces = true
        decoder = try DecompressionSession(decoding)
    }

    private func run() async throws {
        async let coded: Void = {
            for try await sample in encoder.samples { try await decoder.decode(sample) }
        }()
        async let shown = countShown()
        let memory = try await encodeAll()
        encoder.invalidate()
        try await coded
        try await decoder.flush()
        decoder.invalidate()
        try report(try await shown, memory)
    }

    private func countShown() async throws -> Int {
        var count = 0
        for try await frame in decoder.frames {
            if let error = frame.error { throw error }
            // In order, each at its time.
            guard frame.presentationTime.ticks == Int64(count) else { throw SoakFailure("frame \(count) is missing") }
            count += 1
        }
        return count
    }

    private func encodeAll() async throws -> MemoryRecord {
        let pool = try await encoder.pixelBufferPool()
        var memory = MemoryRecord(frameCount: options.frameCount)
        for index in 0..<options.frameCount {
            if index % options.reportInterval == 0 { try memory.note(at: index) }
            let picture = try pool.makeBuffer { plane, bytes, bytesPerRow in
                for offset in 0..<bytes.byteCount {
                    let luma = UInt8(truncatingIfNeeded: offset % bytesPerRow + index)
                    bytes.storeBytes(of: plane == 0 ? luma : 128, toByteOffset: offset, as: UInt8.self)
                }
            }
            try await encoder.encode(picture, at: MediaTime(Int64(index), Rational(1, 30)))
        }
        try await encoder.flush()
        try memory.note(at: options.frameCount)
        return memory
    }

    private func report(_ shown: Int, _ memory: MemoryRecord) throws {
        print(
            "\(shown) of \(options.frameCount) frames; hardware: \(encoder.isUsingHardware), \(decoder.isUsingHardware)"
        )
        guard shown == options.frameCount else { throw SoakFailure("frames are missing") }
        print("at most \(memory.early) kB in the first half, \(memory.late) kB in the second")
        guard memory.isFlat else { throw SoakFailure("memory grows") }
    }
}

struct SoakFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
