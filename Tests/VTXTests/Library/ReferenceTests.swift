import Testing
import VTX
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@testable import VTX

@Suite("Pictures with references")
struct ReferenceTests {
    @Test("after lost pictures, every wrong frame is marked", arguments: VideoCodec.ofNALUnits, 0..<8)
    func lostPictures(codec: VideoCodec, seed: Int) async throws {
        try await LossyStream(codec).expectHonesty(losing: 20, seed: seed)
    }

    @Test("after lost slices, every wrong frame is marked", arguments: 0..<6)
    func lostSlices(seed: Int) async throws {
        try await LossyStream(.h264, slices: 4).expectHonesty(losing: 4, seed: seed)
    }

    @Test("every wrong frame is marked in real time", arguments: VideoCodec.ofNALUnits)
    func realTime(codec: VideoCodec) async throws {
        try await LossyStream(codec).expectHonesty(losing: 20, seed: 3) { $0.isRealTime = true }
    }

    /// x264's options: consecutive B frames, and referenced ones.
    private static let reordered = [
        "bframes=1:b-adapt=0", "bframes=3:b-pyramid=none:b-adapt=0", "bframes=7:b-pyramid=normal:b-adapt=0",
        "bframes=0",
    ]

    @Test(
        "streams without a reorder depth lose no frame", arguments: reordered, [false, true])
    func noReorderDepth(options: String, isRealTime: Bool) async throws {
        let recipe = VideoRecipe { $0.options = [("preset", "veryfast"), ("x264-params", options)] }
        let packets = try recipe.encode(globalHeader: false).packets
        let decoded = try await Coding.decode(.h264) {
            $0.isRealTime = isRealTime
        } _: { session in
            for packet in packets {
                let bytes = try Self.withoutReorderDepth(Array(packet.bytes))
                try await session.decode(annexB: bytes, at: packet.presentationTime)
            }
        }
        #expect(decoded.frames.map(\.presentationTime.ticks) == Array(0..<25))
        #expect(decoded.frames.allSatisfy { $0.error == nil })
    }

    @Test("in real time, a stream without B frames has no delay")
    func noDelay() async throws {
        let recipe = VideoRecipe { $0.options = [("preset", "veryfast"), ("x264-params", "bframes=0")] }
        let collected = Collected<DecodedFrame>()
        var configuration = VideoDecoderConfiguration(codec: .h264)
        (configuration.isRealTime, configuration.hardware) = (true, .off)
        let session = try DecompressionSession(configuration) { collected.add($0) }
        for (index, packet) in try recipe.encode(globalHeader: false).packets.enumerated() {
            let bytes = try Self.withoutReorderDepth(Array(packet.bytes))
            try await session.decode(annexB: bytes, at: packet.presentationTime)
            #expect(collected.all.count == index + 1)
        }
    }

    private static func withoutReorderDepth(_ bytes: [UInt8]) throws -> [UInt8] {
        try AnnexB.units(in: bytes.span.bytes, codec: .h264).flatMap { unit in
            let own = Array(bytes[unit.range])
            guard unit.isSPS else { return AnnexB.startCode + own }
            var sps = try H264SPS(nalUnit: own)
            sps.vui?.bitstreamRestriction = nil
            return AnnexB.startCode + (try sps.nalUnit())
        }
    }
}

@Suite("Detecting reordered pictures")
struct ReorderDetectorTests {
    private func detect(_ orders: [Int], type: SliceType = .p) -> [Bool] {
        var detector = ReorderDetector()
        return orders.enumerated().map { index, order in
            var summary = AccessUnit.Summary()
            (summary.pictureOrderCount, summary.beginsSequence) = (order, index == 0)
            summary.sliceType = type
            return detector.isReordered(summary)
        }
    }

    @Test("counts that increase by two, or by one, are in order")
    func inOrder() {
        #expect(detect([0, 2, 4, 6, 8]) == Array(repeating: false, count: 5))
        #expect(detect([0, 1, 2, 3, 4]) == Array(repeating: false, count: 5))
    }

    @Test("a skipped count precedes a picture with an earlier time")
    func gaps() {
        #expect(detect([0, 8]) == [false, true])
        #expect(detect([0, 2, 6]) == [false, false, true])
        #expect(detect([0, 1, 3]) == [false, false, true])
    }

    @Test("B slices, and decreasing counts")
    func others() {
        #expect(detect([0, 2], type: .b) == [false, true])
        #expect(detect([4, 2]) == [false, true])
    }
}
