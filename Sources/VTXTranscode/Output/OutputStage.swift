import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// What the stages tell the output.
enum OutputMessage: Sendable {
    /// Once a stream; indirect, for what is large would be moved about with every packet.
    indirect case open(stream: Int, OutputStreamDescription)
    case packet(Packet, stream: Int)
    /// How far the source has been read, while what is there already of the video is written.
    case reached(MediaTime?)
}

/// The last stage: hands everything to the sink, on one thread, and notes what it handed over.
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

    /// Frames that are encoded are noted on their way into the encoder.
    private func noteVideo(_ packet: Packet) {
        ledger.noteEncoded(packet)
        if plan.video.encoding == nil { ledger.noteCopied(packet) }
    }
}
