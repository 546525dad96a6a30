import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Runs a transcode's pipeline without writing anything.
struct DryRun {
    let prepared: PreparedTranscode
    let cancellation: Cancellation
    let ledger: OutputLedger
    let sink = CountingSink()

    init(_ prepared: PreparedTranscode, _ cancellation: Cancellation) {
        (self.prepared, self.cancellation) = (prepared, cancellation)
        ledger = OutputLedger(streams: prepared.plan.streams.count { !$0.isDropped })
    }

    /// - Throws: the errors of the pipeline.
    func run(progress: () -> Void) throws {
        let group = ThreadGroup()
        let stop = CancelledSearch()
        cancellation.onCancel { [weak group] in group?.stop(because: stop) }
        try withExtendedLifetime(prepared) {
            TranscodePipeline(prepared, sink: sink, damage: InputErrorReport(), ledger: ledger).start(in: group)
            try group.wait { progress() }
        }
        if cancellation.reason != nil { throw stop }
    }
}

extension DryRun {
    /// Runs, and reports the progress of a search.
    func run(_ report: @Sendable (TranscodeEvent) -> Void) throws {
        let start = ContinuousClock.now
        try run(progress: { report(.progress(progress(since: start))) })
    }

    private func progress(since start: ContinuousClock.Instant) -> Progress {
        let plan = prepared.plan
        return Progress(
            phase: .searching, frames: ledger.frameCount, totalFrames: plan.video.expectedFrames,
            seconds: MediaTime(ledger.encodedTicks, plan.video.timeBase).seconds,
            totalSeconds: plan.timestamps.expectedSeconds,
            elapsedSeconds: (ContinuousClock.now - start) / .seconds(1), bytes: 0)
    }
}

/// The user has cancelled the job.
struct CancelledSearch: Error {}

/// Counts what a container would get.
///
/// Unchecked: called by one thread, and read by its owner after that has ended.
final class CountingSink: PacketSink, @unchecked Sendable {
    struct Count: Sendable, Hashable {
        var packets = 0
        var bytes: Int64 = 0
    }

    /// By the stream's index in the output.
    private(set) var streams: [Int: Count] = [:]

    var byteCount: Int64 { streams.values.reduce(0) { $0 + $1.bytes } }

    func open(_ stream: Int, _ description: OutputStreamDescription) {
        // An attached file is in its header.
        streams[stream] = Count(bytes: Int64(description.parameters.extradata.count))
    }

    func write(_ packet: Packet, to stream: Int) {
        streams[stream, default: Count()].packets += 1
        streams[stream, default: Count()].bytes += Int64(packet.byteCount)
    }

    func finish() {}
}
