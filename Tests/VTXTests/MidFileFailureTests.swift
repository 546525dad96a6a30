import Testing
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@testable import VTX

@Suite("A GPU that fails in mid-file")
struct MidFileFailureTests {
    private static let frames = 120
    private let directory: TemporaryDirectory
    private let input: String

    init() throws {
        directory = try TemporaryDirectory()
        input = directory.file("in.mp4")
        let recipe = VideoRecipe {
            $0.size = PixelSize(64, 64)
            $0.frameCount = Self.frames
            $0.keyFrameInterval = 24
            $0.options = [("preset", "ultrafast")]
        }
        try MovieRecipe(recipe, .aac).write(to: input)
    }

    private struct Outcome {
        var packets: [[PacketRecord]]
        var frameCount: Int
        var plans: Int
        var codes: Set<String>
        var counts: FaultyBackend.Counts
        var leftovers: [String]
    }

    private func run(
        _ faults: FaultyBackend.Faults, to name: String = "out.mp4",
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> Outcome {
        var request = TranscodeRequest(input: input, output: directory.file(name))
        request.codec = .h264
        request.preset = .fast
        request.keyFrameInterval = KeyFrameInterval(frames: 24)
        change(&request)
        let gpu = FaultyBackend(faults)
        let events = Locked<[TranscodeEvent]>([])
        let job = TranscodeJob(request, backends: [gpu, SoftwareBackend()], cancellation: Cancellation()) { event in
            events.withLock { $0.append(event) }
        }
        let result = try job.run()
        let reported = events.withLock { $0 }
        let file = try MediaFile(directory.file(name))
        if request.frameRate == nil { #expect(result.frames == Self.frames) }
        return Outcome(
            packets: file.packets, frameCount: try Decoded(directory.file(name)).frames.count,
            plans: reported.count { if case .planned = $0 { true } else { false } },
            codes: Set(reported.compactMap { if case .notice(let notice) = $0 { notice.code } else { nil } }),
            counts: gpu.counts.withLock { $0 }, leftovers: directory.names.filter { $0.hasPrefix(".") })
    }

    /// PTS and DTS, each in order: another key frame changes the order of frames.
    private func times(_ outcome: Outcome) -> [[Double]] {
        outcome.packets.flatMap { packets in
            [packets.compactMap { $0.pts?.seconds }.sorted(), packets.compactMap { $0.dts?.seconds }.sorted()]
        }
    }

    // After the fake's codecs, which are software's, have output a frame.
    @Test("is reopened, and the same output continues", arguments: [70, 97, 119], ["mp4", "mkv", "ts"])
    func again(call: Int, pathExtension: String) throws {
        let undisturbed = try run(.init(), to: "whole.\(pathExtension)")
        for faults in [FaultyBackend.Faults(encodes: call...call), .init(decodes: call...call)] {
            let outcome = try run(faults, to: "\(call).\(pathExtension)") { $0.overwrite = .replace }
            #expect(outcome.plans == 1 && outcome.codes == ["hardware.recovered"] && outcome.leftovers.isEmpty)
            #expect(outcome.frameCount == Self.frames && times(outcome) == times(undisturbed))
            #expect(outcome.counts.encodes <= 2 * Self.frames)
        }
    }

    @Test("software continues if the GPU does not return", arguments: [70, 100])
    func lost(call: Int) throws {
        let undisturbed = try run(.init(), to: "whole.mp4")
        let outcome = try run(.init(encodes: call...1000))
        #expect(outcome.plans == 1 && outcome.codes == ["fallback.fault"])
        #expect(outcome.frameCount == Self.frames && times(outcome) == times(undisturbed))
        let decoded = try run(.init(decodes: call...1000), to: "decoded.mp4")
        #expect(decoded.plans == 1 && decoded.codes == ["fallback.fault"])
        #expect(decoded.frameCount == Self.frames && times(decoded) == times(undisturbed))
    }

    @Test("its encoded video is kept if the parameter sets differ", arguments: ["mp4", "mkv", "mov"])
    func parameterSets(pathExtension: String) throws {
        let outcome = try run(
            .init(encodes: 70...1000, hasOtherParameterSets: true), to: "out.\(pathExtension)")
        #expect(outcome.codes.isSuperset(of: ["fallback.fault", "journal.resumed"]) && outcome.leftovers.isEmpty)
        #expect(outcome.frameCount == Self.frames)
    }

    private static let filterChanges: [@Sendable (inout TranscodeRequest) -> Void] = [
        { $0.size = SizeRequest(96, 96) },
        {
            $0.size = SizeRequest(96, 96)
            $0.frameRate = 50
        },
        {
            $0.size = SizeRequest(96, 96)
            $0.frameRate = 10
        },
        { $0.deinterlace = .on },
    ]

    @Test("its filter is reopened, or software filters, in the same output", arguments: filterChanges.indices)
    func filter(change: Int) throws {
        let change = Self.filterChanges[change]
        let undisturbed = try run(.init(), to: "whole.mp4", change)
        for call in [20, 21, 60, 119] {
            let once = try run(.init(filters: call...call), to: "once.\(call).mp4", change)
            #expect(once.plans == 1 && once.codes == ["hardware.recovered"] && once.leftovers.isEmpty)
            #expect(once.frameCount == undisturbed.frameCount && times(once) == times(undisturbed))
            let lost = try run(.init(filters: call...1000), to: "lost.\(call).mp4", change)
            #expect(lost.plans == 1 && lost.codes == ["fallback.fault"])
            #expect(lost.frameCount == undisturbed.frameCount && times(lost) == times(undisturbed))
            #expect(
                lost.counts.decodes == undisturbed.counts.decodes && lost.counts.encodes == undisturbed.counts.encodes)
        }
    }

    @Test(
        "encoded video is kept if no filter in the process can continue",
        arguments: ["mp4", "mkv", "ts", "h264"])
    func filterLost(pathExtension: String) throws {
        let undisturbed = try run(.init(), to: "whole.\(pathExtension)") { $0.size = SizeRequest(96, 96) }
        let outcome = try run(.init(filters: 100...1000, code: .allocationFailed), to: "out.\(pathExtension)") {
            $0.size = SizeRequest(96, 96)
        }
        #expect(outcome.codes.contains("journal.resumed") && outcome.leftovers.isEmpty)
        #expect(outcome.frameCount == Self.frames)
        #expect(times(outcome) == times(undisturbed))
    }
}
