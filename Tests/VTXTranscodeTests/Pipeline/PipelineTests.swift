import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("The pipeline, without codecs")
struct PipelineTests {
    private struct Outcome {
        var log: FakeSink.Log
        var damage: InputErrorReport
        var error: (any Error)?
    }

    private func run(_ clip: SourceClip, fault: FakeBackend.Fault? = nil, sink: FakeSink = FakeSink()) throws -> Outcome
    {
        let prepared = try clip.plan(with: [FakeBackend(fault: fault)])
        let (group, damage) = (ThreadGroup(), InputErrorReport())
        let ledger = OutputLedger(streams: prepared.plan.streams.count)
        var failure: (any Error)?
        do {
            TranscodePipeline(prepared, sink: sink, damage: damage, ledger: ledger).start(in: group)
            try group.wait()
        } catch {
            failure = error
        }
        return Outcome(log: sink.log.withLock { $0 }, damage: damage, error: failure)
    }

    @Test("brings every packet to the sink, in order, and finishes it")
    func flow() throws {
        let outcome = try run(try SourceClip(frames: 25))
        #expect(outcome.error == nil && outcome.log.isFinished && !outcome.damage.isIncomplete)
        #expect(Set(outcome.log.opened) == [0, 1])
        #expect(outcome.log.written[0] == (0..<Int64(25)).map { $0 * 40 })
        #expect(outcome.log.written[1]?.count == 47)
    }

    @Test("a packet that cannot be decoded loses only its frame")
    func badPacket() throws {
        let outcome = try run(try SourceClip(frames: 25), fault: .badPacket(7))
        #expect(outcome.error == nil && outcome.log.isFinished)
        let times: [Int64] = (0..<25).map { $0 * 40 }
        #expect(outcome.log.written[0] == times.filter { $0 != 240 })
        #expect(outcome.damage.isIncomplete)
        #expect(outcome.damage.notices.map(\.code) == ["source.undecodable"])
    }

    @Test(
        "a stage that fails stops all others, early or late",
        arguments: [
            FakeBackend.Fault.decode(2), .decode(20), .filter(1), .filter(20), .encode(1), .encode(20), .encode(26),
        ])
    func stageFailure(fault: FakeBackend.Fault) throws {
        let outcome = try run(try SourceClip(frames: 25), fault: fault)
        let error = try #require(outcome.error as? SessionError)
        #expect(error.message.contains("broke") && !outcome.log.isFinished)
    }

    @Test("a sink that fails stops all stages", arguments: [0, 1, 10, 50])
    func sinkFailure(packet: Int) throws {
        let outcome = try run(try SourceClip(frames: 25), sink: FakeSink(breaksAt: packet))
        #expect(outcome.error is FakeSink.Broken && !outcome.log.isFinished)
    }

    @Test(
        "codecs that cannot be opened end it before it begins",
        arguments: [
            FakeBackend.Fault.makeDecoder, .makeFilter, .makeEncoder, .decode(1),
        ])
    func openFailure(fault: FakeBackend.Fault) throws {
        #expect(try SourceClip(frames: 5).refusal(with: [FakeBackend(fault: fault)]) != nil)
    }
}

@Suite("A job that fails or is cancelled leaves nothing")
struct JobTests {
    private func end(
        _ clip: SourceClip, fault: FakeBackend.Fault? = nil, cancellation: Cancellation = Cancellation(),
        report: @escaping @Sendable (TranscodeEvent) -> Void = { _ in }
    ) -> TranscodeError? {
        do throws(TranscodeError) {
            _ = try TranscodeJob(
                clip.request(), backends: [FakeBackend(fault: fault)], cancellation: cancellation, report: report
            ).run()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "at any failure",
        arguments: [
            (FakeBackend.Fault.openSession, ErrorKind.Category.hardware), (.makeDecoder, .unsupported),
            (.makeFilter, .unsupported), (.makeEncoder, .internal), (.decode(3), .hardware),
            (.filter(3), .unsupported), (.encode(3), .hardware), (.encode(26), .hardware),
        ])
    func faults(fault: FakeBackend.Fault, category: ErrorKind.Category) throws {
        let clip = try SourceClip(frames: 25)
        #expect(end(clip, fault: fault)?.category == category)
        #expect(clip.directory.names == ["in.mkv"])
    }

    @Test("if the file differs from the plan")
    func failedCheck() throws {
        // The fake's packets are not video.
        let clip = try SourceClip(frames: 25)
        #expect(end(clip)?.category == .verification)
        #expect(clip.directory.names == ["in.mkv"])
    }

    @Test("in memory, while it can be cancelled", arguments: [true, false])
    func freed(succeeds: Bool) throws {
        let (clip, cancellation) = (try SourceClip(frames: 5), Cancellation())
        let backend: any VideoBackend = succeeds ? SoftwareBackend() : FakeBackend(fault: .encode(3))
        weak var kept: TranscodeJob?
        do {
            let job = TranscodeJob(clip.request(), backends: [backend], cancellation: cancellation) { _ in }
            kept = job
            let result = Result { () throws(TranscodeError) in try job.run() }
            #expect(((try? result.get()) != nil) == succeeds)
        }
        #expect(withExtendedLifetime(cancellation) { kept } == nil)
    }

    @Test("at any time of cancellation", arguments: 0..<6)
    func cancelled(event number: Int) throws {
        let (clip, cancellation, seen) = (try SourceClip(frames: 25), Cancellation(), Locked(0))
        if number == 0 { cancellation.cancel(.interrupted) }
        // The fake's packets are not video: a job not stopped in time fails verification, and also leaves nothing.
        let error = end(clip, cancellation: cancellation) { _ in
            if seen.withLock({
                $0 += 1; return $0
            }) == number {
                cancellation.cancel(.interrupted)
            }
        }
        #expect(error != nil)
        #expect(cancellation.reason == nil || error?.category == .interrupted)
        #expect(clip.directory.names == ["in.mkv"])
    }

    @Test("the first reason is reported, and each handler is called once")
    func reasons() {
        let (cancellation, calls) = (Cancellation(), Locked(0))
        cancellation.onCancel { calls.withLock { $0 += 1 } }
        #expect(cancellation.reason == nil)
        cancellation.cancel(.terminated)
        cancellation.cancel(.interrupted)
        #expect(cancellation.reason == .terminated && calls.withLock { $0 } == 1)
        cancellation.onCancel { calls.withLock { $0 += 10 } }
        #expect(calls.withLock { $0 } == 11)
    }
}
