import Testing
import VTXFFmpeg
import VTXMedia

@Suite("Encoded audio is cut at the sample")
struct AudioCutTests {
    private static let rate = 1000

    /// One second of numbered samples, in frames of 100, after the cut.
    private func cut(from start: Double?, to end: Double?, layout: String = "mono") throws -> (Int64?, [Int16]) {
        let channels = layout == "mono" ? 1 : 2
        let settings = AudioEncoderSettings(
            codecName: "pcm_s16le", sampleRate: Self.rate, channelLayout: layout, channelCount: channels,
            sampleFormat: "s16", bitsPerSample: nil, bitrate: nil, usesGlobalHeader: false)
        var (first, bytes) = (Int64?.none, [UInt8]())
        let converter = try AudioConverter(nil, settings, from: start, to: end) { packet in
            first = first ?? packet.pts
            bytes += Array(packet.bytes)
        }
        let count = Array(repeating: "n/32768", count: channels).joined(separator: "|")
        let source = try FilterGraph(
            generating: "aevalsrc=\(count):s=\(Self.rate):d=1:n=100:c=\(layout),aformat=sample_fmts=dblp", isAudio: true
        )
        while case .unit(let frame) = try source.receive() { try converter.convert(frame) }
        try converter.convert(nil as Packet?)
        let samples = stride(from: 0, to: bytes.count, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
        return (first, samples)
    }

    @Test("in the middle of a frame, at its start and at its end", arguments: ["mono", "stereo"])
    func places(layout: String) throws {
        for (start, end) in [(0.25, 0.731), (0.2, 0.8), (0.301, 0.302), (0.0, 1.0)] {
            let (from, to) = (Int16((start * 1000).rounded()), Int16((end * 1000).rounded()))
            let (first, samples) = try cut(from: start, to: end, layout: layout)
            #expect(first == Int64(from))
            #expect(samples == (from..<to).flatMap { layout == "mono" ? [$0] : [$0, $0] })
        }
    }

    @Test("at one side, or nowhere")
    func sides() throws {
        #expect(try cut(from: 0.95, to: nil).1 == Array(950..<1000))
        #expect(try cut(from: nil, to: 0.05).1 == Array(0..<50))
        #expect(try cut(from: nil, to: nil).1.count == 1000)
        #expect(try cut(from: 2, to: 3).1.isEmpty)
    }
}

@Suite("Audio that gets more channels")
struct AudioChannelTests {
    /// Half a second of each layout, converted to a number of channels; the number that is lost.
    private func lost(_ layouts: [String], to count: Int) throws -> Int? {
        let settings = AudioEncoderSettings(
            codecName: "pcm_s16le", sampleRate: 1000, channelLayout: count == 1 ? "mono" : "stereo",
            channelCount: count, sampleFormat: "s16", bitsPerSample: nil, bitrate: nil, usesGlobalHeader: false)
        let converter = try AudioConverter(nil, settings) { _ in }
        for (index, layout) in layouts.enumerated() {
            let source = try FilterGraph(
                generating: "anullsrc=r=1000:cl=\(layout):d=0.5:n=100,aformat=sample_fmts=s16", isAudio: true)
            while case .unit(let frame) = try source.receive() {
                frame.pts = frame.pts.map { $0 + Int64(index * 500) }
                try converter.convert(frame)
            }
        }
        try converter.convert(nil as Packet?)
        return converter.lostChannelCount
    }

    @Test("than the output has is found, but not what was mixed down from the beginning")
    func channels() throws {
        #expect(try lost(["stereo", "5.1", "stereo"], to: 2) == 6)
        #expect(try lost(["mono", "stereo"], to: 2) == nil)
        #expect(try lost(["5.1", "stereo", "5.1"], to: 2) == nil)
        #expect(try lost(["mono", "stereo"], to: 1) == 2)
    }
}

@Suite("Audio without gaps")
struct AudioGapTests {
    /// Ten frames of 100 samples of one value, each moved by a number of samples.
    private func samples(moving offsets: [Int: Int64]) throws -> [Int16] {
        let settings = AudioEncoderSettings(
            codecName: "pcm_s16le", sampleRate: 1000, channelLayout: "mono", channelCount: 1, sampleFormat: "s16",
            bitsPerSample: nil, bitrate: nil, usesGlobalHeader: false)
        var bytes: [UInt8] = []
        let converter = try AudioConverter(nil, settings) { bytes += Array($0.bytes) }
        let source = try FilterGraph(
            generating: "aevalsrc=1000/32768:s=1000:d=1:n=100:c=mono,aformat=sample_fmts=dblp", isAudio: true)
        var number = 0
        while case .unit(let frame) = try source.receive() {
            frame.pts = frame.pts.map { $0 + (offsets[number] ?? 0) }
            try converter.convert(frame)
            number += 1
        }
        try converter.convert(nil as Packet?)
        return stride(from: 0, to: bytes.count, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
    }

    @Test("a frame that is late, but ends where the next one begins, is moved back", arguments: [1, 4, 8])
    func oneLateFrame(number: Int) throws {
        #expect(try samples(moving: [number: 45]) == Array(repeating: 1000, count: 1000))
    }

    @Test("a gap before all that follows stays, as silence", arguments: [5, 9])
    func gap(number: Int) throws {
        let offsets = Dictionary(uniqueKeysWithValues: (number..<10).map { ($0, Int64(45)) })
        let found = try samples(moving: offsets)
        #expect(found.count == 1045)
        #expect(found[(number * 100)..<(number * 100 + 45)].allSatisfy { $0 == 0 })
        #expect(found.filter { $0 == 0 }.count == 45)
    }
}
