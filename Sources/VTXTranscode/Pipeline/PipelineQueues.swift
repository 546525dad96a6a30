import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The queues between the stages of a pipeline.
struct PipelineQueues: Sendable {
    private static let packetDepth = 16
    /// Frames in memory: one is enough to even out, and few enough to stay in the cache.
    private static let memoryDepth = 1
    private static let outputDepth = 256
    /// Packets for which the output's thread is woken up.
    private static let outputBatch = 32

    /// Packets that wait for the decoder.
    let packets = BoundedQueue<Packet>(capacity: packetDepth)
    let decoded: BoundedQueue<Frame>
    let filtered: BoundedQueue<Frame>
    let output: BoundedQueue<OutputMessage>
    /// Packets that wait for a converter, by the number that their stream has in the source.
    let converters: [Int: BoundedQueue<Packet>]

    init(_ plan: TranscodePlan, _ sessions: StageSessions) {
        let frameDepth = sessions.usesHardware ? sessions.queueDepth : Self.memoryDepth
        decoded = BoundedQueue(capacity: frameDepth)
        filtered = BoundedQueue(capacity: frameDepth)
        let converted = plan.streams.filter(\.isConverted).map(\.source.index)
        converters = Dictionary(
            uniqueKeysWithValues: converted.map { ($0, BoundedQueue(capacity: Self.packetDepth)) })
        // The demuxer (copies), the encoder, and each converter push into the output.
        output = BoundedQueue(capacity: Self.outputDepth, producers: 2 + converted.count, batch: Self.outputBatch)
    }

    func cancel() {
        packets.cancel()
        decoded.cancel()
        filtered.cancel()
        output.cancel()
        for queue in converters.values { queue.cancel() }
    }
}

/// What takes what a stage has made: the queue before another thread, or the next stage itself, on the same one.
protocol FrameConsumer<Unit>: Sendable {
    associatedtype Unit: Sendable

    func push(_ unit: Unit) throws
    /// There is nothing more.
    func finish() throws
}

extension BoundedQueue: FrameConsumer {}

/// One stream on its way from its source's coding to the output's: what every converter works with.
struct ConverterContext: Sendable {
    let source: InputStream
    let plan: TranscodePlan
    /// Its place in the output.
    let stream: Int
    let input: BoundedQueue<Packet>
    let output: BoundedQueue<OutputMessage>
    let damage: InputErrorReport

    /// Says what the stream has become.
    func open(_ parameters: CodecParameters, timeBase: Rational) throws {
        let description = StreamDescriptions.converted(plan, source.info, parameters, timeBase)
        try output.push(.open(stream: stream, description))
    }

    func passOn(_ packet: Packet) throws { try output.push(.packet(packet, stream: stream)) }
}
