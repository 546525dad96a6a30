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

/// Every rung of the ladder with every kind of picture: what comes out is whole and right, or a clear error.
@Suite("From every rung, every picture comes out whole", .onSoftwareGPU)
struct LadderWalkTests {
    struct Rung: Sendable, CustomTestStringConvertible {
        var stages: Set<VideoStage>

        static let all = (0..<8).map { bits in
            Rung(stages: Set(VideoStage.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)))
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

    @Test("on a GPU that can do everything", arguments: Rung.all, WalkedPicture.Kind.allCases)
    func whole(rung: Rung, kind: WalkedPicture.Kind) throws {
        for picture in WalkedPicture.all(of: kind) {
            let codes = try walk(picture, rung.backends(on: SoftwareGPU.all[0]))
            if picture.isEasy { #expect(codes.isDisjoint(with: rung.stages.map { "fallback.\($0.rawValue)" })) }
        }
    }

    @Test("on one without packed headers, whose coded sizes are rounded up", arguments: WalkedPicture.Kind.allCases)
    func withoutPackedHeaders(kind: WalkedPicture.Kind) throws {
        for picture in WalkedPicture.all(of: kind) {
            _ = try walk(picture, Rung.all[7].backends(on: SoftwareGPU.all[1]))
        }
    }

    @Test("on one without video processor and rate control", arguments: WalkedPicture.Kind.allCases)
    func lowPower(kind: WalkedPicture.Kind) throws {
        for picture in WalkedPicture.all(of: kind) {
            _ = try walk(picture, Rung.all[7].backends(on: SoftwareGPU.all[2]))
        }
    }

    /// - Returns: the codes of the fallbacks.
    private func walk(_ picture: WalkedPicture, _ backends: [any VideoBackend]) throws -> Set<String> {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(picture.recipe).write(to: input)
        let plan = Locked<TranscodePlan?>(nil)
        let job = TranscodeJob(
            picture.request(from: input, to: output), backends: backends, cancellation: Cancellation()
        ) { event in
            if case .planned(let made) = event { plan.withLock { $0 = made } }
        }
        do throws(TranscodeError) { _ = try job.run() } catch {
            #expect(picture.isTooSmall, "\(picture.testDescription): \(error)")
            #expect(error.category == .unsupported && error.hint?.contains("allowed") == true)
            #expect(directory.names == ["in.mkv"])
            return []
        }
        let made = try #require(plan.withLock { $0 })
        let encoder = made.video.encoder
        check(try Decoded(output), against: try picture.expected(as: encoder), encoder, picture)
        return Set(made.notices.filter { $0.category == .fallback }.map(\.code))
    }

    private func check(
        _ decoded: Decoded, against expected: [Frame], _ encoder: EncoderConfiguration, _ picture: WalkedPicture
    ) {
        let context = Comment(rawValue: picture.testDescription)
        #expect(decoded.frames.count == WalkedPicture.frameCount && decoded.errors == 0, context)
        #expect(decoded.times.enumerated().allSatisfy { abs($0.element - Double($0.offset) / 25) < 0.001 }, context)
        for (frame, wanted) in zip(decoded.frames, expected) {
            #expect(frame.size == encoder.size && frame.size == picture.expectedSize, context)
            #expect(frame.pixelFormat.bitDepth == encoder.pixelFormat.bitDepth, context)
            #expect((frame.color.isFullRange ?? false) == (picture.kind == .fullRange), context)
            let psnr = frame.psnr(against: wanted)
            #expect(psnr > 30, context)
        }
    }
}

extension WalkedPicture {
    /// 4:2:0 has even sides.
    fileprivate var expectedSize: PixelSize { target ?? PixelSize(size.width & ~1, size.height & ~1) }
}
