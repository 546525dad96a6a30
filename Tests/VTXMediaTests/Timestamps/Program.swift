import Testing

@testable import VTXMedia

let milliseconds = Rational(1, 1000)

/// Packets through a normalizer, by default of 40 ms.
struct Program {
    var normalizer: TimestampNormalizer
    /// Milliseconds of each stream's packets in order; nil for one without a time.
    var times: [Int: [Int64?]] = [:]
    var dts: [Int: [Int64?]] = [:]
    var waiting = 0
    var mostWaiting = 0

    init(
        _ kinds: [StreamTimeline.Kind] = [.audio], offset: Double = 0, end: Double? = nil,
        isTransportStream: Bool = false, wrapBits: Int = 64, frameRate: Rational = Rational(25, 1)
    ) {
        let timelines = kinds.map { kind in
            StreamTimeline(
                kind, timeBase: milliseconds, wrapBits: wrapBits,
                frameRate: kind == .audio ? Rational(0, 1) : frameRate)
        }
        normalizer = TimestampNormalizer(
            Dictionary(uniqueKeysWithValues: timelines.enumerated().map { ($0, $1) }), offset: offset, end: end,
            hasDiscontinuities: isTransportStream)
    }

    mutating func take(_ times: PacketTimes, of stream: Int = 0) {
        waiting += 1
        note(normalizer.take(times, of: stream), stream)
        mostWaiting = max(mostWaiting, waiting)
    }

    /// - Parameter pts: milliseconds.
    mutating func take(_ pts: [Int64?], of stream: Int = 0, duration: Int64 = 40) {
        for pts in pts { take(PacketTimes(pts: pts, duration: duration), of: stream) }
    }

    /// Milliseconds of a recording, for each stream.
    mutating func record(from start: Int64, packets: Int, streams: Int = 1) {
        for index in 0..<packets {
            let time = start + Int64(index) * 40
            for stream in 0..<streams { take(PacketTimes(pts: time, dts: time, duration: 40), of: stream) }
        }
    }

    mutating func finish() {
        for stream in 0..<8 { note(normalizer.finish(stream), stream) }
        #expect(waiting == 0 && normalizer.isSettled)
    }

    private mutating func note(_ settled: [PacketTimes], _ stream: Int) {
        waiting -= settled.count
        times[stream, default: []] += settled.map(\.pts)
        dts[stream, default: []] += settled.map(\.dts)
    }

    /// The times of one stream's packets, after all have passed.
    static func times(
        of pts: [Int64?], _ kind: StreamTimeline.Kind = .audio, isTransportStream: Bool = false, duration: Int64 = 40
    ) -> [Int64?] {
        var program = Program([kind], isTransportStream: isTransportStream)
        program.take(pts, duration: duration)
        program.finish()
        return program.times[0] ?? []
    }
}

func steady(_ count: Int, from start: Int64 = 0, by step: Int64 = 40) -> [Int64?] {
    (0..<count).map { start + Int64($0) * step }
}
