import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("Cutting the video into segments")
struct SegmentCutterTests {
    private struct Unit {
        var pts: Int64?
        var dts: Int64?
        var isKey = false
    }

    private static let timeBase = Rational(1, 1)

    /// The result for packets with times in seconds.
    private func placements(
        _ units: [Unit], seconds: Double = 10, after earliest: Int64? = nil
    ) -> [SegmentCutter.Placement] {
        var cutter = SegmentCutter(
            timeBase: Self.timeBase, seconds: seconds, after: earliest.map { MediaTime($0, Self.timeBase) })
        return units.map { unit in cutter.place(PacketTimes(pts: unit.pts, dts: unit.dts)) { unit.isKey } }
    }

    private func starts(_ units: [Unit], seconds: Double = 10, after earliest: Int64? = nil) -> [Int64?] {
        zip(units, placements(units, seconds: seconds, after: earliest)).filter(\.1.begins).map(\.0.pts)
    }

    /// In order, without B frames.
    private func plain(_ count: Int64, keyEvery interval: Int64) -> [Unit] {
        (0..<count).map { Unit(pts: $0, dts: $0, isKey: $0 % interval == 0) }
    }

    @Test("at the first key frame that is far enough from the previous cut")
    func spacing() {
        #expect(starts(plain(50, keyEvery: 4)) == [12, 24, 36, 48])
        #expect(starts(plain(50, keyEvery: 10)) == [10, 20, 30, 40])
        #expect(starts(plain(50, keyEvery: 1)) == [10, 20, 30, 40])
    }

    @Test("a late cut does not move the next one, unless they would be too close")
    func late() {
        #expect(starts(plain(100, keyEvery: 6), seconds: 15) == [18, 30, 48, 60, 78, 90])
        #expect(starts(plain(100, keyEvery: 14), seconds: 15) == [28, 42, 56, 70, 84, 98])
        #expect(starts(plain(60, keyEvery: 13), seconds: 12) == [13, 26, 39, 52])
    }

    @Test(
        "gives each lane the same number of segments, of at least 10 s",
        arguments: zip([30.0, 39, 40, 90, 12], [15.0, 19.5, 10, 11.25, 10]))
    func even(video: Double, seconds: Double) {
        #expect(SegmentCutter.seconds(of: video, lanes: 2) == seconds)
        #expect(SegmentCutter.seconds(of: nil, lanes: 2) == 10)
    }

    @Test("nowhere without key frames, or if they are too late")
    func none() {
        #expect(starts(plain(50, keyEvery: 50)).isEmpty && starts(plain(9, keyEvery: 3)).isEmpty && starts([]).isEmpty)
    }

    @Test("not before an earlier run's end, or the start of the cut")
    func earliest() { #expect(starts(plain(50, keyEvery: 5), after: 20) == [25, 35, 45]) }

    @Test("at the first key frames from known starts on, and after an earlier run at the remaining ones")
    func known() {
        func starts(_ known: [Double], after earliest: Int64? = nil, from first: Int64 = 0) -> [Int64?] {
            var cutter = SegmentCutter(
                timeBase: Self.timeBase, starts: known.map { SegmentQuality(start: $0, quality: .standard) },
                after: earliest.map { MediaTime($0, Self.timeBase) })
            let units = plain(50, keyEvery: 5).filter { $0.pts ?? 0 >= first }
            return units.filter { unit in
                cutter.place(PacketTimes(pts: unit.pts, dts: unit.dts)) { unit.isKey }.begins
            }.map(\.pts)
        }
        #expect(starts([0, 12, 20, 31]) == [15, 20, 35])
        #expect(starts([0, 11, 12, 13]) == [15])
        for first in [0, 5, 15] as [Int64] { #expect(starts([0, 12, 20, 31], after: 17, from: first) == [20, 35]) }
        #expect(starts([0, 12, 20, 31], after: 19, from: 15) == [20, 35])
    }

    @Test("without reordering, nothing is shared")
    func closed() {
        #expect(!placements(plain(50, keyEvery: 10)).contains { $0.isShared || $0.isLeading })
    }

    @Test("in an open GOP, the previous segment outputs the leading pictures, and decodes both")
    func open() {
        // The order in which they are decoded: I0 P3 B1 B2 P6 B4 B5 P9 B7 B8 I12 B10 B11 P15 B13 B14.
        let order: [Int64] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 12, 10, 11, 15, 13, 14]
        let units = order.enumerated().map { Unit(pts: $1, dts: Int64($0) - 1, isKey: $1 % 12 == 0) }
        let found = placements(units)
        #expect(zip(order, found).filter(\.1.begins).map(\.0) == [12])
        #expect(zip(order, found).filter(\.1.isShared).map(\.0) == [12, 10, 11])
        #expect(zip(order, found).filter(\.1.isLeading).map(\.0) == [10, 11])
    }

    @Test("without decoding times, the leading pictures are those directly after it")
    func withoutDecodingTimes() {
        let order: [Int64] = [0, 3, 1, 2, 12, 10, 11, 15, 13, 14]
        let found = placements(order.map { Unit(pts: $0, dts: nil, isKey: $0 % 12 == 0) })
        #expect(zip(order, found).filter(\.1.isShared).map(\.0) == [12, 10, 11])
        #expect(zip(order, found).filter(\.1.isLeading).map(\.0) == [10, 11])
    }

    @Test("not at a key frame before an earlier decoded frame in presentation order, or without a time")
    func disorder() {
        let late = [Unit(pts: 0, dts: 0, isKey: true), Unit(pts: 30, dts: 1), Unit(pts: 20, dts: 2, isKey: true)]
        #expect(starts(late).isEmpty)
        let untimed = [Unit(pts: 0, dts: 0, isKey: true), Unit(isKey: true), Unit(pts: 12, dts: 12, isKey: true)]
        #expect(starts(untimed) == [12])
    }

    @Test("each segment outputs frames from its start up to the next one's", arguments: 0..<20)
    func everyFrameInItsSegment(seed: Int) {
        var generator = Generator(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1)
        var units: [Unit] = []
        for base in stride(from: Int64(0), to: 240, by: 6) {
            let last = base + Int64.random(in: 1...5, using: &generator)
            units.append(Unit(pts: last, dts: base - 3, isKey: Bool.random(using: &generator)))
            units += (base..<last).shuffled(using: &generator).map { Unit(pts: $0, dts: base - 2) }
        }
        let found = placements(units)
        let starts = [.min] + zip(units, found).filter(\.1.begins).compactMap(\.0.pts) + [.max]
        var current = 0
        for (unit, place) in zip(units, found) {
            if place.begins { current += 1 }
            let shown = place.isLeading ? current - 1 : current
            #expect((starts[shown]..<starts[shown + 1]).contains(unit.pts ?? .min))
        }
        #expect(starts.count > 5)
    }
}

/// The same numbers every time.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}

@Suite("Segments encoded in parallel")
struct SegmentOrderTests {
    @Test("are output in order, the first unfinished one immediately")
    func order() {
        var order = SegmentOrder<String>()
        #expect(order.take("a1", of: 0) == ["a1"])
        #expect(order.take("b1", of: 1).isEmpty && order.take("c1", of: 2).isEmpty)
        #expect(order.finish(2).isEmpty)
        #expect(order.take("b2", of: 1).isEmpty)
        #expect(order.finish(0) == ["b1", "b2"])
        #expect(order.take("b3", of: 1) == ["b3"] && order.current == 1)
        #expect(order.finish(1) == ["c1"] && order.current == 3)
        #expect(order.take("d1", of: 3) == ["d1"])
    }

    @Test("do not wait for an empty one")
    func empty() {
        var order = SegmentOrder<Int>()
        #expect(order.finish(1).isEmpty && order.take(7, of: 2).isEmpty)
        #expect(order.finish(0) == [7] && order.current == 2)
    }

    @Test("get decoding times by the first encoder's rule, which increase across all cuts")
    func times() throws {
        var times = SegmentTimes(frameDuration: 10)
        // x264's order with a pyramid: each encoder begins two frames before its first one.
        let order: [Int64] = [0, 4, 2, 1, 3, 6, 5]
        var found: [Int64] = []
        for segment in 0..<Int64(3) {
            let pts = order.map { ($0 + 7 * segment) * 10 }
            for (place, pts) in pts.enumerated() {
                found.append(try times.next(pts, own: (Int64(place) - 2 + 7 * segment) * 10))
            }
        }
        #expect(found == (-2..<Int64(19)).map { $0 * 10 })
    }

    @Test("have no delay without reordering")
    func withoutReordering() throws {
        var times = SegmentTimes(frameDuration: 10)
        for pts in 0..<Int64(30) { #expect(try times.next(pts * 10, own: pts * 10) == pts * 10) }
    }
}
