import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("Frames on their way into the encoder")
struct EncodeStageTests {
    /// The times that the encoder gets for frames with these.
    private func times(of frames: [Int64?]) throws -> [Int64] {
        let film = try Film(frames: 1, audio: nil)
        let prepared = try film.plan()
        let plan = prepared.plan
        let input = BoundedQueue<Frame>(capacity: frames.count)
        let output = BoundedQueue<OutputMessage>(capacity: frames.count + 1)
        for pts in frames {
            let frame = try Frame(timeBase: plan.video.encoder.timeBase)
            frame.pts = pts
            try input.push(frame)
        }
        input.finish()
        let encoder = FakeEncoder(prepared.source.video.parameters, plan.video.encoder.timeBase, nil, nil)
        let ledger = OutputLedger(streams: 1)
        try EncodeStage(encoder: encoder, plan: plan, stream: 0, input: input, output: output, ledger: ledger).run()
        var times: [Int64] = []
        while let message = try output.pop() {
            if case .packet(let packet, _) = message, let pts = packet.pts { times.append(pts) }
        }
        #expect(ledger.videoTimes == times)
        return times
    }

    @Test("frames that fall on one tick follow each other tick by tick")
    func order() throws {
        #expect(try times(of: [0, 40, 40, 40, 80]) == [0, 40, 41, 42, 80])
        #expect(try times(of: [-20, -20, 0]) == [-20, -19, 0])
    }

    @Test("a frame without a time comes right behind the one before it")
    func noTime() throws {
        #expect(try times(of: [nil, nil, 40, nil]) == [0, 1, 40, 41])
    }
}
