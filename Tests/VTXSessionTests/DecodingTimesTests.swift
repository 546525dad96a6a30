import Testing

@testable import VTXSession

@Suite("DTS from PTS")
struct DecodingTimesTests {
    private typealias Frame = (pts: Int64, dts: Int64)

    private func times(_ frames: [Frame], minDelay: Int = 0, then more: [Int64] = []) throws -> [Int64] {
        var times = DecodingTimes(after: frames, minDelay: minDelay, frameDuration: 10)
        return try (frames.map(\.pts) + more).map { pts in
            let time = times.next(pts)
            return try #require(time)
        }
    }

    @Test("equals the encoder's, for any number of B frames")
    func own() throws {
        let ordered: [Frame] = [(0, 0), (10, 10), (20, 20)]
        let oneLevel: [Frame] = [(0, -10), (30, 0), (10, 10), (20, 20), (60, 30), (40, 40), (50, 50)]
        let pyramid: [Frame] = [(0, -20), (40, -10), (20, 0), (10, 10), (30, 20), (50, 30)]
        for frames in [ordered, oneLevel, pyramid] { #expect(try times(frames) == frames.map(\.dts)) }
    }

    @Test("another encoder's frames follow the same rule")
    func seam() throws {
        let first: [Frame] = [(0, -10), (30, 0), (10, 10), (20, 20)]
        #expect(try times(first, then: [40, 70, 50, 60]) == [-10, 0, 10, 20, 30, 40, 50, 60])
    }

    @Test("is correct for a variable frame rate")
    func variable() throws {
        let frames: [Frame] = [(0, -35), (100, 0), (35, 35), (120, 100), (400, 120)]
        #expect(try times(frames) == frames.map(\.dts))
    }

    @Test("a delay that is too short is reported, and a longer one shifts the start")
    func delay() throws {
        let first: [Frame] = [(0, 0), (10, 10)]
        var short = DecodingTimes(after: first, frameDuration: 10)
        #expect([0, 10, 40, 20].map { short.next($0) } == [0, 10, 40, nil] && short.delay == 0)
        #expect(try times(first, minDelay: 1, then: [40, 20, 30]) == [-10, 0, 10, 20, 30])
    }

    @Test("for a stream shorter than its delay, the first time gives the delay")
    func short() throws {
        #expect(try times([(0, -20)], then: [40, 20, 10]) == [-20, -10, 0, 10])
    }

    @Test("never exceeds PTS, and always increases, for any order within the delay")
    func rises() throws {
        for delay in 0...4 {
            // Blocks whose last frame is decoded first.
            let order = stride(from: 0, to: 200, by: delay + 1).flatMap { start in
                [start + delay] + (start..<start + delay)
            }
            var times = DecodingTimes(after: [(0, Int64(-10 * delay))], frameDuration: 10)
            let all = try order.map { frame in
                let time = times.next(Int64(frame) * 10)
                return (Int64(frame) * 10, try #require(time))
            }
            #expect(all.allSatisfy { $0.1 <= $0.0 })
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.1 < $1.1 })
        }
    }

    @Test("an encoder's first packet gives their start, for any number of B frames")
    func first() {
        let orders: [[Int64]] = [[0, 10, 20], [0, 30, 10, 20, 60, 40, 50], [0, 40, 20, 10, 30, 50]]
        for (delay, order) in orders.enumerated() {
            var times = DecodingTimes(pts: 0, dts: Int64(-10 * delay), shown: order.sorted())
            var coded = DecodingTimes(after: [(0, Int64(-10 * delay))], frameDuration: 10)
            #expect(times.delay == delay)
            #expect(order.map { times.next($0) } == order.map { coded.next($0) })
        }
    }
}
