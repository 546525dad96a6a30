import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The verification's samples")
struct SampleCollectorTests {
    private static let size = PixelSize(64, 64)

    /// The samples of a stream with one frame per second.
    ///
    /// - Parameter packets: times in decoding order.
    private func samples(
        _ packets: [Int64], keyFrames: Set<Int64>, _ level: VerificationLevel = .sample, size: PixelSize = size,
        after earlier: Int = 0, isLast: Bool = true
    ) throws -> [OutputSamples.Group] {
        var collector = SampleCollector(level, size, timeBase: Rational(1, 1), after: earlier)
        for pts in packets.sorted() {
            let frame = try Frame(size: Self.size, pixelFormat: .i420)
            frame.setTimes(pts: pts, duration: 1, timeBase: Rational(1, 1))
            try collector.add(frame)
        }
        for pts in packets {
            try collector.add(
                try Packet(
                    bytes: [0], pts: pts, dts: nil, duration: 1, timeBase: Rational(1, 1),
                    isKeyFrame: keyFrames.contains(pts)))
        }
        return try collector.finish(isLast: isLast).groups
    }

    @Test("the complete first, last and every tenth GOP, and single key frames at least four seconds apart")
    func sampled() throws {
        let groups = try samples(Array(0..<36), keyFrames: Set((0..<12).map { 3 * $0 }))
        #expect(groups.map(\.packets) == [0..<3, 6..<7, 12..<13, 18..<19, 24..<25, 30..<33, 33..<36])
    }

    @Test("every GOP, or none")
    func levels() throws {
        let keyFrames = Set<Int64>([0, 3, 6])
        let full = try samples(Array(0..<9), keyFrames: keyFrames, .full)
        #expect(full.map(\.packets) == [0..<3, 3..<6, 6..<9])
        #expect(full.allSatisfy { $0.frames.allSatisfy { $0.signature != nil } })
        #expect(try samples(Array(0..<9), keyFrames: keyFrames, .off).isEmpty)
    }

    @Test("in presentation order, each with its packet's index in the GOP")
    func order() throws {
        let groups = try samples([0, 2, 1, 3, 6, 4, 5], keyFrames: [0, 3])
        #expect(groups.map(\.packets) == [0..<3, 3..<7])
        #expect(groups.map { $0.frames.map(\.place) } == [[0, 2, 1], [0, 2, 3, 1]])
    }

    @Test("every tenth over all segments, and only the key frame of the last GOP of a segment before another")
    func segments() throws {
        let keyFrames = Set<Int64>([40, 46])
        #expect(try samples(Array(40..<52), keyFrames: keyFrames).map(\.packets) == [0..<6, 6..<12])
        #expect(
            try samples(Array(40..<52), keyFrames: keyFrames, after: 1, isLast: false).map(\.packets) == [0..<1, 6..<7])
    }

    @Test("packets are counted from the output's beginning, across earlier runs and segments in any order")
    func joined() throws {
        let ledger = OutputLedger(streams: 1)
        for segment in [1, 0] {
            for pts in 0..<Int64(9) { ledger.noteFrame(pts + 9 * Int64(segment), seconds: 1, of: segment) }
            let groups = try samples(Array(0..<9), keyFrames: [0, 3, 6], .full)
            ledger.note(OutputSamples(groups: groups), of: segment)
        }
        for pts in -5..<Int64(0) { ledger.noteEarlierFrame(pts, seconds: 1) }
        #expect(ledger.samples.groups.map(\.packets) == [5..<8, 8..<11, 11..<14, 14..<17, 17..<20, 20..<23])
        #expect(ledger.videoTimes == Array(-5..<18) && ledger.frameCount == 23)
    }

    @Test("the GOPs before and after a change of encoder")
    func seam() throws {
        var collector = SampleCollector(.sample, Self.size, timeBase: Rational(1, 1))
        for pts in 0..<Int64(20) {
            let frame = try Frame(size: Self.size, pixelFormat: .i420)
            frame.setTimes(pts: pts, duration: 1, timeBase: Rational(1, 1))
            try collector.add(frame)
            let packet = try Packet(
                bytes: [0], pts: pts, dts: nil, duration: 1, timeBase: Rational(1, 1), isKeyFrame: pts % 2 == 0)
            try collector.add(packet, seams: pts < 10 ? 0 : 1)
        }
        let groups = try collector.finish().groups.map(\.packets)
        #expect(groups == [0..<2, 4..<5, 8..<10, 10..<12, 14..<15, 18..<20])
    }

    @Test("of a long GOP at most a quarter second of decoding, unless all frames are verified")
    func longGroup() throws {
        let large = PixelSize(7680, 4320)
        #expect(try samples(Array(0..<100), keyFrames: [0], size: large).map(\.packets) == [0..<3])
        #expect(try samples(Array(0..<100), keyFrames: [0], .full, size: large).map(\.packets) == [0..<100])
    }

    @Test("nothing of a stream without frames")
    func empty() throws { #expect(try samples([], keyFrames: []).isEmpty) }
}
