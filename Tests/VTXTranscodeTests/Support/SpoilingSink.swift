import VTXFFmpeg
import VTXMedia

@testable import VTXTranscode

/// A sink that can change packets on the way to another one.
///
/// Unchecked: by contract, one thread calls it.
final class SpoilingSink: PacketSink, @unchecked Sendable {
    /// Gets a packet, its stream and its index in the stream; its result is written.
    typealias Spoiler = @Sendable (Packet, _ stream: Int, _ position: Int) throws -> Packet?

    private let sink: any PacketSink
    private let spoil: Spoiler
    private var positions: [Int: Int] = [:]

    init(_ sink: any PacketSink, _ spoil: @escaping Spoiler) {
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

    func advance(to time: MediaTime?) throws { try sink.advance(to: time) }

    func finish() throws { try sink.finish() }

    var byteCount: Int64 { sink.byteCount }
}
