import Testing
import VTX

@Suite("Dependencies between samples")
struct DependencyTests {
    private static func samples(
        _ codec: VideoCodec, _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) async throws -> [Sample] {
        try await Coding.encode(
            try (0..<40).map { try Pictures.moving($0) },
            .small(codec) {
                $0.gopSize = 20; change(&$0)
            })
    }

    @Test("key frames depend on nothing, and others may depend on them", arguments: VideoCodec.ofNALUnits)
    func keyFrames(codec: VideoCodec) async throws {
        let samples = try await Self.samples(codec)
        for sample in samples {
            let dependency = try #require(sample.dependency)
            #expect(dependency.dependsOnOthers == !sample.isKeyFrame)
            if sample.isKeyFrame { #expect(dependency.isDependedOnByOthers && dependency.temporalLevel == 0) }
        }
    }

    @Test(
        "non-reference frames can be dropped, and the rest is decoded without an error",
        arguments: VideoCodec.ofNALUnits)
    func droppable(codec: VideoCodec) async throws {
        let samples = try await Self.samples(codec)
        let kept = samples.filter { $0.dependency?.isDependedOnByOthers == true }
        #expect(kept.count < samples.count && kept.count >= 2)
        let whole = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }.frames
        let rest = try await Coding.decode(codec) { for sample in kept { try await $0.decode(sample) } }.frames
        #expect(rest.count == kept.count && rest.allSatisfy { $0.error == nil })
        for frame in rest {
            let same = try #require(whole.first { $0.presentationTime == frame.presentationTime }?.pixelBuffer)
            #expect(try frame.pixelBuffer?.bytes(ofPlane: 0) == same.bytes(ofPlane: 0))
        }
    }

    @Test("without B frames, every frame is a reference", arguments: VideoCodec.ofNALUnits)
    func noReordering(codec: VideoCodec) async throws {
        let samples = try await Self.samples(codec) { $0.openBFrame = false }
        #expect(samples.allSatisfy { $0.dependency?.isDependedOnByOthers == true })
    }

    @Test("an unreadable sample has no dependency information")
    func unreadable() async throws {
        var sample = try #require(await Self.samples(.h264).first)
        sample.data = [0, 0, 0, 9, 1, 2]
        #expect(sample.dependency == nil)
        sample.data = []
        #expect(sample.dependency == nil)
    }
}
