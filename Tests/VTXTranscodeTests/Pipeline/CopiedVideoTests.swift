import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestValues

@testable import VTXTranscode

@Suite("Video that is copied")
struct CopiedVideoTests {
    /// What becomes of frames at 25 frames a second, with a key frame each second, some of which an edit list hides.
    private func copied(_ count: Int, hiding hidden: Set<Int>, from start: Double? = nil) throws -> [Int] {
        var plan = TranscodePlan.example()
        plan.timestamps = OutputRange(
            offset: MediaTime(0, MediaTime.microseconds), start: start, end: nil, expectedSeconds: nil)
        var video = CopiedVideo(plan, stream: 0)
        var numbers: [Int] = []
        for number in 0..<count {
            let packet = try Packet(
                bytes: [UInt8(number)], pts: Int64(number), dts: Int64(number), duration: 1, timeBase: Rational(1, 25),
                isKeyFrame: number % 25 == 0)
            packet.isHidden = hidden.contains(number)
            numbers += try video.take(packet).map { Int($0.pts ?? -1) }
        }
        return numbers
    }

    @Test("is whole without an edit list, and begins with a key frame")
    func whole() throws {
        #expect(try copied(50, hiding: []) == Array(0..<50))
        #expect(try copied(50, hiding: [], from: 0.4) == Array(25..<50))
    }

    @Test("keeps what is hidden at its beginning, which the output hides again")
    func beginning() throws {
        #expect(try copied(50, hiding: Set(0..<10)) == Array(0..<50))
    }

    @Test("ends with the last frame that is shown, and what comes before it in decoding order")
    func end() throws {
        #expect(try copied(100, hiding: Set(60..<100)) == Array(0..<60))
        #expect(try copied(100, hiding: [60, 61]) == Array(0..<100))
        #expect(try copied(100, hiding: Set(60..<62).union(63..<100)) == Array(0..<63))
    }

    @Test("goes on after a hidden part only with a key frame")
    func middle() throws {
        #expect(try copied(100, hiding: Set(40..<75)) == Array(0..<40) + Array(75..<100))
        let error = #expect(throws: TranscodeError.self) { try copied(100, hiding: Set(40..<74)) }
        #expect(error?.kind == .outputEditList)
    }
}
