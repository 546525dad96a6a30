import Foundation
import Testing
import VTXBitstream
import VTXFFmpeg
import VTXSystem
import VTXTestMedia

@testable import VTX

/// A byte stream, and what libavcodec decodes from it on one thread.
struct ReferenceStream {
    let codec: VideoCodec
    let bytes: [UInt8]
    let checksums: [UInt64]
    let keepAlive: TemporaryDirectory

    init(_ codec: VideoCodec, _ bytes: [UInt8]) throws {
        keepAlive = try TemporaryDirectory()
        let path = keepAlive.file(codec == .h264 ? "a.h264" : "a.h265")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let decoded = try Decoded(path)
        try #require(decoded.errors == 0 && !decoded.frames.isEmpty)
        (self.codec, self.bytes, checksums) = (codec, bytes, decoded.frames.map(\.checksum))
    }

    /// The first frames of a file's video; nil for other codecs.
    init?(path: String, frameCount: Int) async throws {
        if let codec = ["h264": VideoCodec.h264, "h265": .hevc][URL(fileURLWithPath: path).pathExtension] {
            var splitter = AccessUnitSplitter(codec: try #require(codec.nal))
            let units = try splitter.append([UInt8](Data(contentsOf: URL(fileURLWithPath: path))).span.bytes)
            try self.init(codec, units.prefix(frameCount).flatMap(\.bytes.array))
        } else {
            let reader = try SampleReader(path)
            guard let track = reader.tracks(.video).first, let codec = track.codec, codec != .av1 else { return nil }
            var bytes: [UInt8] = []
            var count = 0
            for try await sample in reader.samples(of: track) where count < frameCount {
                bytes += try sample.annexB()
                count += 1
            }
            try self.init(codec, bytes)
        }
    }

    /// The same stream without the VUI of its SPS, so without colors, rate and reorder depth.
    func withoutVUI() throws -> ReferenceStream {
        let nal = try #require(codec.nal)
        let units = try AnnexB.units(in: bytes.span.bytes, codec: nal).map { unit -> [UInt8] in
            let own = Array(bytes[unit.range])
            guard unit.isSPS else { return own }
            if codec == .h264 {
                var sps = try H264SPS(nalUnit: own)
                sps.vui = nil
                return try sps.nalUnit()
            }
            var sps = try HEVCSPS(nalUnit: own)
            sps.vui = nil
            return try sps.nalUnit()
        }
        return try ReferenceStream(codec, units.flatMap { AnnexB.startCode + $0 })
    }

    /// Decodes the stream in chunks, and expects the same frames in the same order.
    ///
    /// - Parameter hardware: Whether a GPU decodes.
    func expectFrames(inChunksOf size: Int, hardware: HardwarePolicy) async throws {
        let decoded = try await Coding.decode(codec) {
            $0.hardware = hardware
        } _: { session in
            for begin in stride(from: 0, to: bytes.count, by: size) {
                let end = min(bytes.count, begin + size)
                try await session.decode(stream: bytes.span.bytes.extracting(begin..<end))
            }
        }
        #expect(decoded.frames.allSatisfy { $0.error == nil })
        let pictures = try decoded.frames.compactMap { try $0.pixelBuffer?.inMemory().frame }
        for picture in pictures { picture.normalizeFullRangeFormat() }
        #expect(pictures.map(\.planarChecksum) == checksums)
    }
}

extension Frame {
    /// The checksum of a GPU's frame as software decodes it: with its chroma in planes of their own, and 10 bits at
    /// the low end.
    fileprivate var planarChecksum: UInt64 {
        guard [.nv12, .p010].contains(pixelFormat) else { return checksum }
        let size = pixelFormat == .p010 ? 2 : 1
        let chroma = planeBytes(1)
        let samples = stride(from: 0, to: chroma.count, by: 2 * size)
        let u = samples.flatMap { chroma[$0..<$0 + size] }
        let v = samples.flatMap { chroma[$0 + size..<$0 + 2 * size] }
        return Frame.checksum(of: (planeBytes(0) + u + v).loweringBits(of: size))
    }
}

extension [UInt8] {
    /// - Parameter size: 2 for 10 bits at the high end of 16.
    fileprivate func loweringBits(of size: Int) -> [UInt8] {
        guard size == 2 else { return self }
        return stride(from: 0, to: count, by: 2).flatMap { offset -> [UInt8] in
            let value = (UInt16(self[offset]) | UInt16(self[offset + 1]) << 8) >> 6
            return [UInt8(value & 0xff), UInt8(value >> 8)]
        }
    }
}

@Suite("Decoded streams equal libavcodec's")
struct StreamFidelityTests {
    static let recipes: [VideoRecipe] = [
        h264("profile=baseline"), h264("profile=main:interlaced=1:tff=1"), h264("bframes=3:b-pyramid=normal:ref=4"),
        h264("open-gop=1:keyint=8:bframes=2"), h264("slices=4:intra-refresh=1"), h264("profile=high10", "yuv420p10le"),
        h264("profile=high422", "yuv422p"), hevc("bframes=4:b-pyramid=1:ref=4"), hevc("open-gop=1:keyint=8:bframes=3"),
        hevc("slices=4:wpp=1"), hevc("profile=main10", "yuv420p10le"),
    ]

    private static func h264(_ options: String, _ format: String = "yuv420p") -> VideoRecipe {
        VideoRecipe {
            let parts = options.split(separator: ":").map { $0.split(separator: "=").map(String.init) }
            let profile = parts.first { $0[0] == "profile" }.map { [("profile", $0[1])] } ?? []
            let rest = parts.filter { $0[0] != "profile" }.map { $0.joined(separator: "=") }.joined(separator: ":")
            $0.options = [("preset", "veryfast"), ("x264-params", rest)] + profile
            $0.pixelFormat = format
        }
    }

    private static func hevc(_ options: String, _ format: String = "yuv420p") -> VideoRecipe {
        VideoRecipe {
            $0.encoder = "libx265"
            $0.options = [("preset", "veryfast"), ("x265-params", "log-level=error:" + options)]
            $0.pixelFormat = format
        }
    }

    static func stream(_ recipe: VideoRecipe) throws -> ReferenceStream {
        let bytes = try recipe.encode(globalHeader: false).packets.flatMap { Array($0.bytes) }
        return try ReferenceStream(recipe.encoder == "libx264" ? .h264 : .hevc, bytes)
    }

    @Test("in chunks of any size, with and without a VUI", arguments: recipes)
    func software(recipe: VideoRecipe) async throws {
        let stream = try Self.stream(recipe)
        for size in [1, 7, 188, 4096, 1 << 20] { try await stream.expectFrames(inChunksOf: size, hardware: .off) }
        try await stream.withoutVUI().expectFrames(inChunksOf: 188, hardware: .off)
    }

    /// The H.264 and HEVC videos in the directory `VTX_MEDIA`, such as conformance streams.
    static let local: [String] = {
        let directory = ProcessInfo.processInfo.environment["VTX_MEDIA"]
        let names = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        return names.filter { !$0.hasSuffix(".md") }.sorted().map { "\(directory ?? "")/\($0)" }
    }()

    @Test("local media", .enabled(if: !local.isEmpty, "VTX_MEDIA names no directory"), arguments: local)
    func localMedia(path: String) async throws { try await Self.expectFrames(of: path, hardware: .off) }

    static func expectFrames(of path: String, hardware: HardwarePolicy) async throws {
        guard let stream = try await ReferenceStream(path: path, frameCount: 40) else { return }
        for size in [188, 1 << 20] { try await stream.expectFrames(inChunksOf: size, hardware: hardware) }
        try await stream.withoutVUI().expectFrames(inChunksOf: 4096, hardware: hardware)
    }
}

@Suite(
    "Streams decoded by a GPU equal libavcodec's",
    .enabled(if: getenv("SOFTVA_DEVICES") != nil, "the software VA-API driver is not loaded"))
struct StreamFidelityOnGPUTests {
    /// What the GPU rejects, software decodes.
    @Test("in chunks, with and without a VUI", arguments: StreamFidelityTests.recipes)
    func chunks(recipe: VideoRecipe) async throws {
        let stream = try StreamFidelityTests.stream(recipe)
        try await stream.expectFrames(inChunksOf: 188, hardware: .auto)
        try await stream.withoutVUI().expectFrames(inChunksOf: 1 << 20, hardware: .auto)
    }

    @Test(
        "local media", .enabled(if: !StreamFidelityTests.local.isEmpty, "VTX_MEDIA names no directory"),
        arguments: StreamFidelityTests.local)
    func localMedia(path: String) async throws {
        try await StreamFidelityTests.expectFrames(of: path, hardware: .auto)
    }
}
