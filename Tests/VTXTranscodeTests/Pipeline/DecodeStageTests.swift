import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXTranscode

@Suite("Times of decoded frames")
struct DecodeStageTests {
    private let milliseconds = Rational(1, 1000)

    /// The output times of frames with these times, in milliseconds.
    private func times(
        of pts: [Int64?], duration: Int64 = 0, _ change: (inout OutputRange) -> Void = { _ in }
    ) throws -> (times: [Int64?], notices: [String]) {
        var range = OutputRange(offset: MediaTime(0, MediaTime.microseconds))
        change(&range)
        let segment = Segment(capacity: pts.count)
        let output = BoundedQueue<Frame>(capacity: pts.count)
        for pts in pts {
            try segment.packets.push(Packet(bytes: [0], pts: pts, dts: nil, duration: duration, timeBase: milliseconds))
        }
        segment.packets.finish()
        let damage = InputErrorReport()
        try DecodeStage(
            decoder: FakeDecoder(), segment: segment, output: output, range: range, frameDuration: 40, damage: damage
        ).run()
        var times: [Int64?] = []
        while let frame = try output.pop() { times.append(frame.pts) }
        return (times, damage.notices.map(\.code))
    }

    @Test("increasing times are kept, with any gaps")
    func rising() throws {
        let found = try times(of: [-5, 0, 1, 1_000_000, 1_000_001])
        #expect(found.times == [-5, 0, 1, 1_000_000, 1_000_001] && found.notices.isEmpty)
    }

    @Test("a frame out of order follows the previous one, and is counted")
    func outOfOrder() throws {
        let found = try times(of: [10, 10, 5, 50])
        #expect(found.times == [10, 11, 12, 50] && found.notices == ["source.timestamps"])
    }

    @Test("a missing time is derived from the previous frame and its duration")
    func missing() throws {
        #expect(try times(of: [nil, nil, 100, nil]).times == [0, 40, 100, 140])
        #expect(try times(of: [nil, nil, 100, nil], duration: 7).times == [0, 7, 100, 107])
        #expect(try times(of: [nil, nil]).notices.isEmpty)
    }

    @Test("the first frame without a time is at the source's zero")
    func counted() throws {
        let found = try times(of: [nil, nil, nil]) { $0.offset = MediaTime(seconds: -1) }
        #expect(found.times == [1000, 1040, 1080])
    }

    @Test("frames outside the range are dropped")
    func range() throws {
        let found = try times(of: [0, 19, 20, 39, 40, 41, 30]) { ($0.start, $0.end) = (0.020, 0.040) }
        #expect(found.times == [20, 39])
    }

    @Test("a frame that is shown for long, also at the start of the range, begins the output")
    func heldFrame() throws {
        #expect(try times(of: [0, 500]) { $0.start = 0.1 }.times == [100, 500])
        #expect(try times(of: [0, 500]) { ($0.start, $0.end) = (0.1, 0.3) }.times == [100])
        #expect(try times(of: [0, 60, 100]) { $0.start = 0.02 }.times == [60, 100])
        #expect(try times(of: [0]) { $0.start = 0.02 }.times == [20])
        #expect(try times(of: [0]) { $0.start = 0.05 }.times.isEmpty)
    }
}
