import Foundation
import Testing
import VTXBitstream
import VTXFFmpeg
import VTXSystem

@testable import VTX

@Suite("Bytes in and out")
struct ByteInputTests {
    private static let form = ["array", "Data", "slice", "lazy", "span"]

    @Test("every form of input has the same frames", arguments: form, VideoCodec.ofNALUnits)
    func forms(form: String, codec: VideoCodec) async throws {
        let pictures = try (0..<8).map { try Pictures.moving($0) }
        let samples = try await Coding.encode(pictures, .small(codec) { $0.gopSize = 4 })
        let stream = try Coding.stream(samples)
        let decoded = try await Coding.decode(codec) { session in
            for begin in stride(from: 0, to: stream.count, by: 777) {
                let chunk = stream[begin..<min(stream.count, begin + 777)]
                switch form {
                case "array": try await session.decode(stream: Array(chunk))
                case "Data": try await session.decode(stream: Data(chunk))
                case "slice": try await session.decode(stream: chunk)
                case "lazy": try await session.decode(stream: chunk.lazy.map { $0 })
                default: try await session.decode(stream: chunk.span.bytes)
                }
            }
        }
        #expect(decoded.frames.count == 8)
        #expect(decoded.frames.allSatisfy { $0.pixelBuffer != nil && $0.error == nil })
    }

    @Test("spans go in from a callback and from a plain thread, as frames with times", arguments: VideoCodec.ofNALUnits)
    func spans(codec: VideoCodec) async throws {
        let pictures = try (0..<6).map { try Pictures.moving($0) }
        let samples = try await Coding.encode(pictures, .small(codec) { $0.isRealTime = true })
        let decoded = try await Coding.decode(codec) { session in
            for (index, sample) in samples.enumerated() {
                let bytes = try sample.annexB()
                if index < 3 {
                    try session.submit(annexB: bytes.span.bytes, at: sample.presentationTime)
                } else {
                    try await Self.onThread {
                        try session.decodeAndWait(annexB: bytes.span.bytes, at: sample.presentationTime)
                    }
                }
            }
        }
        #expect(decoded.frames.map(\.presentationTime) == (0..<6).map { .frame($0) })
        #expect(decoded.frames.allSatisfy { $0.error == nil })
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Foundation.Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    @Test("an encoder's bytes are not copied", arguments: VideoCodec.ofNALUnits)
    func encoded(codec: VideoCodec) async throws {
        let source = try await Coding.encode([try Pictures.moving(0)], .small(codec))[0]
        let packet = try Packet(
            bytes: source.annexB(), pts: 0, dts: 0, duration: 1, timeBase: Rational(1, 30))
        let sample = try Sample(
            encoded: packet, presentationTime: .frame(0), decodingTime: .frame(0), duration: nil, isKeyFrame: true,
            formatDescription: source.formatDescription)
        let begin = UInt(bitPattern: packet.bytes.baseAddress)
        var types: [Int] = []
        try sample.forEachNALUnit { type, unit in
            types.append(type)
            let address = unit.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            #expect(address > begin && address < begin + UInt(packet.byteCount))
        }
        #expect(types == (try source.nalUnits().map(\.type)))
        #expect(sample.data == source.data)
    }

    @Test("an access unit's bytes are copied once, also over chunks", arguments: [100, 1 << 20])
    func decoded(chunk: Int) async throws {
        let samples = try await Coding.encode(try (0..<4).map { try Pictures.moving($0) }, .small(.h264))
        let stream = try Coding.stream(samples)
        var assembler = AccessUnitAssembler(codec: .h264)
        var items: [AccessUnitAssembler.Item] = []
        for begin in stride(from: 0, to: stream.count, by: chunk) {
            items += assembler.append(stream[begin..<min(stream.count, begin + chunk)].span.bytes)
        }
        items += assembler.finish()
        #expect(items.count == 4)
        for case .unit(let unit, _) in items {
            let packet = try Packet(sharing: unit.bytes, pts: 0, duration: 1, timeBase: Rational(1, 30))
            #expect(packet.bytes.baseAddress == unit.bytes.bytes.baseAddress)
        }
    }

    @Test("parameter sets may follow the picture again after a flush")
    func setsLast() async throws {
        let samples = try await Coding.encode([try Pictures.moving(0)], .small(.h264))
        let other = try await Coding.encode(
            [try Pictures.moving(0, size: PixelSize(320, 192))],
            .small(.h264) { $0.size = PixelSize(320, 192) })
        let decoded = try await Coding.decode(.h264) { session in
            for sample in [samples[0], other[0]] {
                let sets: [UInt8] = sample.formatDescription.parameterSets.flatMap { [0, 0, 1] + $0 }
                try await session.decode(annexB: try sample.annexB(withParameterSets: false) + sets)
                try await session.flush()
            }
        }
        #expect(decoded.frames.map { $0.pixelBuffer?.size } == [PixelSize(160, 96), PixelSize(320, 192)])
    }

    @Test("a first sample that is truncated takes no parameter sets with it")
    func truncatedFirst() async throws {
        let samples = try await Coding.encode(
            try (0..<6).map { try Pictures.moving($0) }, .small(.h264) { $0.gopSize = 3 })
        let decoded = try await Coding.decode(.h264) { session in
            for (index, sample) in samples.enumerated() {
                var sample = sample
                if index == 0 { sample.data.removeLast(3) }
                try await session.decode(sample)
            }
        }
        #expect(decoded.frames.filter { $0.error == nil }.count >= 3)
    }
}
