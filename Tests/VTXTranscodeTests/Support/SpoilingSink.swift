import VTXFFmpeg

@testable import VTXTranscode

/// A muxer's sink, and a hand that gets at the packets on their way.
///
/// Unchecked: one thread calls it, as the contract says.
final class SpoilingSink: PacketSink, @unchecked Sendable {
    /// Gets a packet, its stream, and how many of that stream came before; what it returns is written.
    typealias Spoiler = @Sendable (Packet, _ stream: Int, _ position: Int) throws -> Packet?

    private let sink: MuxerSink
    private let spoil: Spoiler
    private var positions: [Int: Int] = [:]

    init(_ sink: MuxerSink, _ spoil: @escaping Spoiler) {
        self.sink = sink
        self.spoil = spoil
    }

    func open(_ stream: Int, _ description: OutputStreamDescription) throws { try sink.open(stream, description) }

    func write(_ packet: Packet, to stream: Int) throws {
        let position = positions[stream, default: 0]
        positions[stream] = position + 1
        guard let packet = try spoil(packet, stream, position) else { return }
        try sink.write(packet, to: stream)
    }

    func finish() throws { try sink.finish() }

    var byteCount: Int64 { sink.byteCount }
}
