import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXTestMedia
import VTXVAAPI
import VTXSystem

@testable import VTXTranscode

/// Every placement of the stages on GPU and CPU, with every kind of clip: the result is a complete, correct output, or
/// a clear error.
@Suite("Every placement of the stages has a complete output", .onSoftwareGPU)
struct StagePlacementTests {
    struct Placement: Sendable, CustomTestStringConvertible {
        var stages: Set<VideoStage>

        static let all = (0..<8).map { bits in
            Placement(
                stages: Set(VideoStage.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)))
        }

        var testDescription: String {
            VideoStage.allCases.map { "\($0.rawValue): \(stages.contains($0) ? "GPU" : "CPU")" }.joined(separator: ", ")
        }

        func backends(on gpu: SoftwareGPU) -> [any VideoBackend] {
            let limited = LimitedBackend(gpu) {
                if !stages.contains(.decode) { $0.decoding = .rows([]) }
                if !stages.contains(.filter) { $0.filtering = .nothing }
                if !stages.contains(.encode) { $0.encoders = [] }
            }
            return [limited, SoftwareBackend()]
        }
    }

    @Test("on a GPU that supports everything", arguments: Placement.all, PlacedClip.Kind.allCases)
    func whole(placement: Placement, kind: PlacedClip.Kind) throws {
        for clip in PlacedClip.all(of: kind) {
            let codes = try run(clip, placement.backends(on: SoftwareGPU.all[0]))
            if clip.isEasy { #expect(codes.isDisjoint(with: placement.stages.map { "fallback.\($0.rawValue)" })) }
        }
    }

    @Test("on a GPU without packed headers, with rounded coded sizes", arguments: PlacedClip.Kind.allCases)
    func withoutPackedHeaders(kind: PlacedClip.Kind) throws {
        for clip in PlacedClip.all(of: kind) {
            _ = try run(clip, Placement.all[7].backends(on: SoftwareGPU.all[1]))
        }
    }

    @Test("on a GPU without video processor and rate control", arguments: PlacedClip.Kind.allCases)
    func lowPower(kind: PlacedClip.Kind) throws {
        for clip in PlacedClip.all(of: kind) {
            _ = try run(clip, Placement.all[7].backends(on: SoftwareGPU.all[2]))
        }
    }

    /// - Returns: the codes of the fallbacks.
    private func run(_ clip: PlacedClip, _ backends: [any VideoBackend]) throws -> Set<String> {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(clip.recipe).write(to: input)
        let plan = Locked<TranscodePlan?>(nil)
        let job = TranscodeJob(
            clip.request(from: input, to: output), backends: backends, cancellation: Cancellation()
        ) { event in
            if case .planned(let made) = event { plan.withLock { $0 = made } }
        }
        do throws(TranscodeError) { _ = try job.run() } catch {
            #expect(clip.isTooSmall, "\(clip.testDescription): \(error)")
            #expect(error.category == .unsupported && error.hint?.contains("allowed") == true)
            #expect(directory.names == ["in.mkv"])
            return []
        }
        let made = try #require(plan.withLock { $0 })
        let encoder = try #require(made.video.encoding).encoder
        check(try Decoded(output), against: try clip.expected(as: encoder), encoder, clip)
        return Set(made.notices.filter { $0.category == .fallback }.map(\.code))
    }

    private func check(
        _ decoded: Decoded, against expected: [Frame], _ encoder: EncoderConfiguration, _ clip: PlacedClip
    ) {
        let context = Comment(rawValue: clip.testDescription)
        #expect(decoded.frames.count == PlacedClip.frameCount && decoded.errors == 0, context)
        #expect(decoded.times.enumerated().allSatisfy { abs($0.element - Double($0.offset) / 25) < 0.001 }, context)
        for (frame, wanted) in zip(decoded.frames, expected) {
            #expect(frame.size == encoder.size && frame.size == clip.expectedSize, context)
            #expect(frame.pixelFormat.bitDepth == encoder.pixelFormat.bitDepth, context)
            #expect((frame.color.isFullRange ?? false) == (clip.kind == .fullRange), context)
            let psnr = frame.psnr(against: wanted)
            #expect(psnr > 30, context)
        }
    }
}

extension PlacedClip {
    /// 4:2:0 has even sides.
    fileprivate var expectedSize: PixelSize { target ?? PixelSize(size.width & ~1, size.height & ~1) }
}
