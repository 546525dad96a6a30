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

@Suite("No pipeline deadlocks on a surface in its own queue", .onSoftwareGPU)
struct PipelineDepthTests {
    /// The properties of a clip that determine its number of surfaces.
    struct Demand: Sendable, CustomTestStringConvertible {
        /// Frames that the source's decoder keeps and reorders.
        var references: Int
        var bFrames: Int
        /// The encoder's surfaces.
        var reorders: Bool
        var size: PixelSize
        /// Deinterlacing uses neighboring frames.
        var deinterlaces: Bool

        static let all = [(1, 0), (4, 3), (16, 8)].flatMap { references, bFrames in
            [(true, PixelSize(96, 64), false), (false, PixelSize(320, 180), false), (true, PixelSize(96, 64), true)]
                .map {
                    Demand(references: references, bFrames: bFrames, reorders: $0.0, size: $0.1, deinterlaces: $0.2)
                }
        }

        var testDescription: String {
            "\(references) references, \(bFrames) B frames, \(size), \(reorders ? "B frames out" : "in order")"
                + (deinterlaces ? ", deinterlaced" : "")
        }

        func write(to path: String) throws {
            let recipe = VideoRecipe {
                $0.size = size
                $0.frameCount = 60
                $0.bFrames = bFrames
                $0.options = [("preset", "ultrafast"), ("refs", "\(references)"), ("x264-params", "b-adapt=0")]
            }
            try MovieRecipe(recipe).write(to: path)
        }

        func request(from input: String) -> TranscodeRequest {
            var request = TranscodeRequest(input: input, output: input + ".out.mkv")
            request.codec = .h264
            request.allowsBFrames = reorders
            request.deinterlace = deinterlaces ? .on : .off
            return request
        }
    }

    @Test("for any queues and codec delays", arguments: Demand.all, [1, 2, 5, 16])
    func depths(demand: Demand, queueDepth: Int) throws {
        let directory = try TemporaryDirectory()
        let input = directory.file("in.mkv")
        try demand.write(to: input)
        let gpu = LimitedBackend(SoftwareGPU.all[0]) { _ in }
        let prepared = try TranscodePreparation(
            demand.request(from: input), backends: [gpu, SoftwareBackend()], after: HardwareFailures(),
            queueDepth: queueDepth
        ).prepare()
        #expect(
            VideoStage.allCases.allSatisfy { prepared.encoding?.stages.sessions[$0].capabilities.isHardware == true })
        #expect(try run(prepared) == 60)
    }

    /// It has 48 surfaces, and no other test uses it.
    @Test("on a driver with few surfaces", arguments: [1, 16])
    func scarce(references: Int) throws {
        let demand = Demand(
            references: references, bFrames: 3, reorders: true, size: PixelSize(96, 64), deinterlaces: false)
        let directory = try TemporaryDirectory()
        let input = directory.file("in.mkv")
        try demand.write(to: input)
        var request = demand.request(from: input)
        request.hardware = .require
        let gpu = LimitedBackend(SoftwareGPU.four[3], of: VAAPIBackend()) { _ in }
        let job = TranscodeJob(request, backends: [gpu], cancellation: Cancellation(), report: { _ in })
        #expect(try job.run().frames == 60)
    }

    private struct Standstill: Error {}

    /// - Returns: the number of output frames.
    /// - Throws: `Standstill` if none was output for half a minute.
    private func run(_ prepared: PreparedTranscode) throws -> Int {
        let (group, sink) = (ThreadGroup(), CountingSink())
        let ledger = OutputLedger(streams: prepared.plan.streams.count)
        TranscodePipeline(prepared, sink: sink, damage: InputErrorReport(), ledger: ledger).start(in: group)
        let clock = ContinuousClock()
        var last = (count: 0, time: clock.now)
        try group.wait {
            if sink.count != last.count { last = (sink.count, clock.now) }
            if clock.now - last.time > .seconds(30) { group.stop(because: Standstill()) }
        }
        return sink.count
    }
}

/// Accepts and counts everything.
private final class CountingSink: PacketSink {
    private let packets = Locked(0)

    var count: Int { packets.withLock { $0 } }
    let byteCount: Int64 = 0

    func open(_ stream: Int, _ description: OutputStreamDescription) {}
    func write(_ packet: Packet, to stream: Int) { packets.withLock { $0 += 1 } }
    func finish() {}
}
