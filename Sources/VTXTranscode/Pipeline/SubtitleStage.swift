import VTXFFmpeg
import VTXMedia

/// One text subtitle stream from its source's format to the container's.
struct SubtitleStage: Sendable {
    let source: InputStream
    /// libavcodec's name of the encoder.
    let codec: String
    let plan: TranscodePlan
    let stream: Int
    let input: BoundedQueue<Packet>
    let output: BoundedQueue<OutputMessage>
    let damage: SourceDamage

    func run() throws {
        let converter: SubtitleConverter
        do {
            converter = try SubtitleConverter(source, to: codec)
        } catch {
            throw TranscodeError(.unsupported, "subtitle.codec", "\(source.label) cannot be converted: \(error)")
        }
        try output.push(
            .open(
                stream: stream,
                StreamDescriptions.converted(plan, source, converter.parameters, source.timeBase)))
        while let packet = try input.pop() {
            guard isWanted(packet) else { continue }
            do {
                guard let cue = try converter.convert(packet) else { continue }
                try output.push(.packet(cue, stream: stream))
            } catch is FFmpegError {
                damage.countUnreadable()
            }
        }
        output.finish()
    }

    private func isWanted(_ packet: Packet) -> Bool {
        guard let seconds = packet.presentationTime?.seconds else { return false }
        if let start = plan.clock.start, seconds < start { return false }
        if let end = plan.clock.end, seconds >= end { return false }
        return true
    }
}
