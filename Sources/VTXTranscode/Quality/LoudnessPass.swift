import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Reads the source once, and measures the audio that its encoders would get.
///
/// The demuxing is the transcode's own, so that timestamps, range, joined and added files are the same; only the audio
/// to be measured is decoded.
struct LoudnessPass {
    private let source: Source
    private let plan: TranscodePlan
    private let cancellation: Cancellation
    private let group = ThreadGroup()
    private let results = Locked<[Int: MeasuredLoudness]>([:])
    /// In seconds of the output.
    private let position = Locked(0.0)

    /// - Parameter source: Newly opened.
    init(_ source: Source, _ plan: TranscodePlan, _ cancellation: Cancellation) {
        (self.source, self.plan, self.cancellation) = (source, plan, cancellation)
    }

    /// - Parameters:
    ///   - settings: By the stream's index in the output.
    ///   - progress: Called with the position.
    func measure(
        _ settings: [Int: AudioEncoderSettings], progress: (Double) -> Void
    ) throws -> [Int: MeasuredLoudness] {
        let stop = CancelledSearch()
        cancellation.onCancel { [weak group] in group?.stop(because: stop) }
        start(settings)
        try group.wait { progress(position.withLock { $0 }) }
        if cancellation.reason != nil { throw stop }
        return results.withLock { $0 }
    }

    private func start(_ settings: [Int: AudioEncoderSettings]) {
        let queues = settings.mapValues { _ in BoundedQueue<Packet>(capacity: PipelineQueues.packetDepth) }
        let copies = BoundedQueue<OutputMessage>(capacity: PipelineQueues.packetDepth)
        group.onStop {
            copies.cancel()
            queues.values.forEach { $0.cancel() }
        }
        let demux = DemuxStage(
            source: source, plan: plan, video: plan.video.encoding == nil ? nil : DiscardedVideo(), converters: queues,
            output: copies, damage: InputErrorReport(), resume: nil)
        group.run("copies") { while try copies.pop() != nil {} }
        for stream in plan.streams {
            guard let index = stream.outputIndex, let input = queues[index], let settings = settings[index],
                let own = source.stream(stream.source)
            else { continue }
            group.run("audio") { [self] in
                // The filter reports when it is freed.
                try LibraryLog.limiting(to: .warning) { try measure(own, settings, input, as: index) }
            }
        }
        group.run("demux") { try demux.run() }
    }

    private func measure(
        _ stream: InputStream, _ settings: AudioEncoderSettings, _ input: BoundedQueue<Packet>, as index: Int
    ) throws {
        let meter = try makeMeter(stream, settings)
        while let packet = try input.pop() {
            let time = packet.presentationTime?.seconds
            try meter.measure(packet)
            if let time { position.withLock { $0 = max($0, time) } }
        }
        try meter.measure(nil)
        results.withLock { $0[index] = meter.loudness }
    }

    private func makeMeter(_ stream: InputStream, _ settings: AudioEncoderSettings) throws -> LoudnessMeter {
        let range = plan.timestamps
        do throws(FFmpegError) {
            return try LoudnessMeter(stream, settings, from: range.start, to: range.end)
        } catch { throw error.ofConverting(stream) }
    }
}

/// Replaces the decoder of the video.
private struct DiscardedVideo: UnitConsumer {
    func push(_ packet: Packet) {}
    func finish() {}
}
