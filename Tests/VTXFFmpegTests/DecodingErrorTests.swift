import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Damage detected by libavcodec is attributed to its frame, on any number of threads")
struct DecodingErrorTests {
    private static let threads = [1, 2, 3, 8]

    struct Source: Sendable, CustomTestStringConvertible {
        var name: String
        var recipe: VideoRecipe
        var pathExtension: String
        var testDescription: String { name }

        static let h264 = Source(name: "H.264 with B frames", recipe: .pyramid, pathExtension: "mp4")
        static let hevc = Source(name: "HEVC", recipe: .blocks("libx265"), pathExtension: "mkv")
        static let mpeg2 = Source(name: "MPEG-2", recipe: .coded("mpeg2video"), pathExtension: "ts")
    }

    /// A decoder's output: the times of all frames, of damaged ones, and of missing ones.
    private struct Outcome: Equatable {
        var times: [Int64] = []
        var damaged: [Int64] = []
        var failures = 0
        var missing = MissingPictures()
    }

    private func packets(_ source: Source) throws -> (stream: InputStream, packets: [Packet]) {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.\(source.pathExtension)")
        try MovieRecipe(source.recipe).write(to: path)
        let demuxer = try Demuxer(path: path)
        var packets: [Packet] = []
        while let packet = try demuxer.read() { packets.append(packet) }
        return (demuxer.streams[0], packets)
    }

    private func decode(_ packets: [Packet], of stream: InputStream, threads: Int) throws -> Outcome {
        let decoder = try DecoderContext(stream, threads: threads)
        var outcome = Outcome()
        for packet in try packets.map({ try $0.reference() }) + [nil] {
            do { try decoder.send(packet) } catch { outcome.failures += 1 }
            receive(from: decoder, &outcome)
        }
        outcome.missing = decoder.missingPictures()
        return outcome
    }

    private func receive(from decoder: DecoderContext, _ outcome: inout Outcome) {
        while true {
            do {
                guard case .unit(let frame) = try decoder.receive() else { return }
                outcome.times.append(frame.pts ?? -1)
                if frame.isCorrupt { outcome.damaged.append(frame.pts ?? -1) }
            } catch {
                outcome.failures += 1
            }
        }
    }

    private func expectSame(
        _ packets: [Packet], of stream: InputStream, _ check: (Outcome) -> Void
    ) throws {
        let outcome = try decode(packets, of: stream, threads: 1)
        check(outcome)
        for threads in Self.threads {
            for _ in 0..<3 {
                #expect(try decode(packets, of: stream, threads: threads) == outcome, "\(threads) threads")
            }
        }
    }

    @Test("frames of an intact stream have none", arguments: [Source.h264, .hevc, .mpeg2])
    func whole(source: Source) throws {
        let (stream, packets) = try packets(source)
        try expectSame(packets, of: stream) { outcome in
            #expect(outcome.times.count == source.recipe.frameCount)
            #expect(outcome.damaged.isEmpty && outcome.failures == 0 && outcome.missing == MissingPictures())
        }
    }

    @Test("eight corrupt bytes in the middle of pictures", arguments: [Source.h264, .hevc, .mpeg2])
    func overwritten(source: Source) throws {
        var (stream, packets) = try packets(source)
        let times = try stride(from: 3, to: 24, by: 2).map { index in
            var bytes = Array(packets[index].bytes)
            let middle = bytes.count / 2
            bytes.replaceSubrange(middle..<middle + 8, with: [UInt8](repeating: 0xff, count: 8))
            packets[index] = try packets[index].replacing(bytes: bytes)
            return packets[index].pts
        }
        try expectSame(packets, of: stream) { outcome in
            #expect(outcome.times.count == source.recipe.frameCount)
            #expect(!outcome.damaged.isEmpty && Set(outcome.damaged).isSubset(of: times))
        }
    }

    @Test("a lost slice, which libavcodec does not report")
    func lostSlice() throws {
        var recipe = VideoRecipe.pyramid
        recipe.options.append(("x264-params", "slices=4"))
        var (stream, packets) = try packets(Source(name: "slices", recipe: recipe, pathExtension: "ts"))
        let bytes = Array(packets[9].bytes)
        let starts = bytes.indices.dropLast(3).filter { Array(bytes[$0..<$0 + 3]) == [0, 0, 1] }
        try #require(starts.count >= 4)
        packets[9] = try packets[9].replacing(
            bytes: Array(bytes[..<starts[starts.count - 2]] + bytes[starts[starts.count - 1]...]))
        let time = packets[9].pts
        try expectSame(packets, of: stream) { outcome in
            #expect(outcome.times.count == recipe.frameCount && outcome.damaged == [time])
        }
    }

    @Test("pictures whose references are missing, in HEVC")
    func missingReference() throws {
        let (stream, packets) = try packets(.hevc)
        // The third picture in decoding order; the next key frame is the 25th.
        let rest = Array(packets[..<2] + packets[3...])
        try expectSame(rest, of: stream) { outcome in
            #expect(outcome.times.count == packets.count - 1)
            #expect(!outcome.damaged.isEmpty && outcome.damaged.allSatisfy { $0 > packets[0].pts ?? 0 })
        }
    }

    @Test("HEVC pictures skipped at the first key frame are counted")
    func skipped() throws {
        var recipe = VideoRecipe.hevc
        (recipe.frameCount, recipe.keyFrameInterval) = (40, 20)
        recipe.options = [("preset", "veryfast"), ("x265-params", "log-level=error:bframes=3:b-adapt=0:open-gop=1")]
        let (stream, packets) = try packets(Source(name: "open GOP", recipe: recipe, pathExtension: "mkv"))
        let second = try #require(packets.lastIndex { $0.isKeyFrame })
        let skipped = packets[second...].count { ($0.pts ?? 0) < packets[second].pts ?? 0 }
        try #require(skipped > 0)
        for first in [second - 8, second] {
            try expectSame(Array(packets[first...]), of: stream) { outcome in
                let leading = outcome.missing.leadingCount
                // With pictures before the key frame, FFmpeg 7 decodes its leading pictures.
                #expect(leading == skipped || (leading == 0 && first < second))
                #expect(outcome.times.count + leading == packets.count - first && outcome.missing.damagedCount == 0)
            }
        }
    }

    @Test("pictures before the first key frame are counted, but are not damage", arguments: [Source.h264])
    func leading(source: Source) throws {
        let (stream, packets) = try packets(source)
        let keys = packets.indices.filter { packets[$0].isKeyFrame }
        let second = try #require(keys.dropFirst().first)
        try expectSame(Array(packets[(second - 4)...]), of: stream) { outcome in
            #expect(outcome.damaged.isEmpty && outcome.failures == 0)
            #expect(outcome.missing.leadingCount == 4 && outcome.missing.damagedCount == 0)
            #expect(outcome.times.count == packets.count - second)
        }
    }
}

extension VideoRecipe {
    /// H.264 with a key frame every 12 pictures, and B frames that refer to B frames.
    fileprivate static let pyramid = VideoRecipe {
        $0.options = [("preset", "veryfast"), ("bf", "3"), ("b-pyramid", "normal")]
        $0.keyFrameInterval = 12
    }

}
