import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTXTranscode

@Suite("Which frames the check samples")
struct SampleCollectorTests {
    private static let size = PixelSize(64, 64)

    /// The samples of a stream with a frame a second.
    ///
    /// - Parameter packets: times in decoding order.
    private func samples(
        _ packets: [Int64], keyFrames: Set<Int64>, size: PixelSize = size
    ) throws -> OutputSamples {
        var collector = SampleCollector(size, timeBase: Rational(1, 1))
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
        return try collector.finish()
    }

    @Test("key frames four seconds apart at least, by their packets, and the first one always")
    func keyFrames() throws {
        let samples = try samples(Array(10..<30), keyFrames: [10, 12, 14, 15, 17, 18, 29])
        #expect(samples.keyFrames.keys.sorted() == [0, 4, 8, 19])
    }

    @Test("the last group of pictures, in presentation order, whatever the decoding order")
    func lastGroup() throws {
        let samples = try samples([0, 2, 1, 3, 6, 4, 5], keyFrames: [0, 3])
        #expect(samples.lastGroup.packets == 3..<7 && samples.lastGroup.frames.allSatisfy { $0 != nil })
    }

    @Test("no more of a long group than can be decoded in half a second")
    func longGroup() throws {
        let samples = try samples(Array(0..<100), keyFrames: [0], size: PixelSize(7680, 4320))
        #expect(samples.lastGroup.packets == 0..<7)
    }

    @Test("nothing of a stream without frames")
    func empty() throws {
        let samples = try samples([], keyFrames: [])
        #expect(samples.keyFrames.isEmpty && samples.lastGroup.packets.isEmpty)
    }
}
