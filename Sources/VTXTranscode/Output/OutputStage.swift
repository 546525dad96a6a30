package import VTXFFmpeg
package import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// A message from the stages to the output.
enum OutputMessage: Sendable {
    /// Sent once per stream. Indirect, because a large value would be moved with every packet.
    indirect case open(stream: Int, OutputStreamDescription)
    case packet(Packet, stream: Int)
    /// The position in the source, while existing video is being written.
    case advance(to: MediaTime?)
}

/// The last stage: passes everything to the sink on one thread, and records it.
struct OutputStage: Sendable {
    let input: BoundedQueue<OutputMessage>
    let sink: any PacketSink
    let ledger: OutputLedger
    let plan: TranscodePlan

    func run() throws {
        while let message = try input.pop() {
            switch message {
            case .open(let stream, let description): try sink.open(stream, description)
            case .packet(let packet, let stream):
                // Before the sink takes it: a muxer counts in ticks of its own.
                ledger.note(packet, stream: stream)
                if stream == plan.videoIndex { noteVideo(packet) }
                try sink.write(packet, to: stream)
                ledger.noteSize(of: sink)
            case .advance(let time):
                try sink.advance(to: time)
                ledger.noteSize(of: sink)
            }
        }
        ledger.isComplete = true
        try sink.finish()
    }

    /// Notes a packet of video. Frames to be encoded have been noted when passed to the encoder.
    private func noteVideo(_ packet: Packet) {
        ledger.noteEncoded(packet)
        if plan.video.encoding == nil { ledger.noteCopied(packet) }
    }
}

/// The destination of finished packets: a muxer, a journal or a live stream.
///
/// The pipeline does not know which. A sink is called by one thread: `open` for each stream announced at its creation,
/// `write` in any order, then `finish`. It can be dropped at any point.
package protocol PacketSink: AnyObject, Sendable {
    /// Describes a stream. A sink that needs all streams first holds packets back until then. The video is opened again
    /// when another encoder takes over.
    ///
    /// - Throws: ``SeamChange`` if the header does not fit what follows.
    func open(_ stream: Int, _ description: OutputStreamDescription) throws

    /// Takes ownership of a packet. The packets of a stream arrive in decoding order.
    func write(_ packet: Packet, to stream: Int) throws

    /// Notes that the source has been read up to this time of the video, or to its end: existing packets before that
    /// time may be written.
    func advance(to time: MediaTime?) throws

    /// Completes the output.
    func finish() throws

    /// The number of bytes written to the output.
    var byteCount: Int64 { get }
    /// The number of those bytes before the first packet.
    var headerByteCount: Int64 { get }
}

extension PacketSink {
    package var headerByteCount: Int64 { 0 }

    /// Does nothing, for a sink without existing packets.
    package func advance(to time: MediaTime?) throws {}
}

/// What a later part of the video needs and the output's header does not declare. The output is then rebuilt from the
/// journal.
enum SeamChange: Error, Sendable, Hashable {
    /// Parameter sets that differ from the header's and have to be in the samples.
    case parameterSets
    /// The number of frames by which decoding must precede display.
    case delay(Int)
}

extension DecodingTimes {
    /// Returns the decoding time of the next frame.
    mutating func time(_ pts: Int64) throws(SeamChange) -> Int64 {
        guard let time = next(pts) else { throw .delay(delay + 1) }
        return time
    }
}
