import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A message from the stages to the output.
enum OutputMessage: Sendable {
    /// Sent once per stream. Indirect, because a large value would be moved with every packet.
    indirect case open(stream: Int, OutputStreamDescription)
    case packet(Packet, stream: Int)
    /// The position in the source, while existing video is being written.
    case reached(MediaTime?)
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
            case .reached(let time):
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
