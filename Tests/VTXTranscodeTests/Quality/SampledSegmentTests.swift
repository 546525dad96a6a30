import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("Segments with their own quality")
struct SampledSegmentTests {
    @Test("are as long as lanes' segments, and begin at key frames if known")
    func starts() {
        #expect(SampledSegments.starts(of: 60, lanes: 2, keyFrames: nil) == [0, 10, 20, 30, 40, 50])
        #expect(SampledSegments.starts(of: 30, lanes: 2, keyFrames: [0, 8, 16, 24]) == [0, 16])
        // DTS is slightly before PTS.
        #expect(SampledSegments.starts(of: 40, lanes: 2, keyFrames: [-0.1, 9.9, 19.9, 29.9]) == [0, 9.9, 19.9, 29.9])
    }

    @Test("are fewer if key frames are rare, and none is short")
    func rare() {
        #expect(SampledSegments.starts(of: 60, lanes: 2, keyFrames: [0, 25, 38, 58]) == [0, 25, 38])
        #expect(SampledSegments.starts(of: 60, lanes: 2, keyFrames: [0]) == [0])
        #expect(SampledSegments.starts(of: 20, lanes: 2, keyFrames: [0, 12, 14]) == [0, 12])
    }

    @Test("are sampled as a whole if the video is short, and with two samples each if it is long")
    func samples() throws {
        let short = SampledSegments.segments(from: [0, 15], of: 30, requestedFrom: 100, origin: 1.4)
        #expect(short.map(\.start) == [1.4, 16.4] && short.allSatisfy(\.isWhole))
        #expect(short.map(\.samples.parts) == [[.init(start: 100, duration: 15)], [.init(start: 115, duration: 15)]])
        let starts = Array(stride(from: 0.0, to: 1200, by: 10))
        let long = SampledSegments.segments(from: starts, of: 1200, requestedFrom: 0, origin: 0)
        #expect(long.allSatisfy { !$0.isWhole && $0.samples.parts.count == 2 && $0.samples.duration == 2.5 })
        #expect(long[1].samples.parts.first == .init(start: 11.875, duration: 1.25))
    }

    private func found(_ qualities: [Double], isWhole: Bool) throws -> FoundQuality {
        let segments = try qualities.enumerated().map { number, quality in
            let length = isWhole ? 10.0 : 100
            let samples = QualitySamples(from: 0, length: length, count: 1, seconds: 10)
            let segment = SampledSegment(start: Double(number), duration: length, samples: samples)
            let trial = SampleEstimate.Trial(quality: quality, score: 40, byteCount: 100)
            return try #require(FoundSegment(segment, at: quality, isReached: quality < 100, [trial]))
        }
        return FoundQuality(QualityTarget(.psnr, 40), segments)
    }

    @Test("get no quality far below the others' from only a few samples")
    func bound() throws {
        #expect(try found([0, 60, 70], isWhole: false).ofSegments.map(\.quality.value) == [35, 60, 70])
        #expect(try found([0, 60, 70], isWhole: true).ofSegments.map(\.quality.value) == [0, 60, 70])
    }

    @Test("are reported with their range, and those that miss the target")
    func notice() throws {
        let text = "\(try found([50.5, 60, 100], isWhole: true).notice.message)"
        #expect(text.hasPrefix("quality 50.5 to 100 in 3 parts of the video for psnr=40: PSNR is 40.0 dB in each, "))
        #expect(text.contains("after 3 trials") && text.hasSuffix("; 1 part misses it at the best quality"))
    }

    @Test("one is the whole video, with a single quality")
    func single() throws {
        let found = try found([60], isWhole: true)
        #expect(found.ofSegments.isEmpty && found.quality == Quality(60))
    }
}
