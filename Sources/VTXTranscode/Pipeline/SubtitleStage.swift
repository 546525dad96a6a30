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
            guard clip(packet) else { continue }
            do {
                guard let cue = try converter.convert(packet) else { continue }
                try output.push(.packet(cue, stream: stream))
            } catch is FFmpegError {
                damage.countUnreadable()
            }
        }
        output.finish()
    }

    /// Cuts a cue to what was asked for: one that is on the screen at the start begins there.
    ///
    /// - Returns: false where nothing of it is left.
    private func clip(_ packet: Packet) -> Bool {
        guard let pts = packet.pts else { return false }
        let (last, overflow) = pts.addingReportingOverflow(packet.duration)
        let first = ticks(plan.clock.start, packet) ?? .min
        let limit = ticks(plan.clock.end, packet) ?? .max
        // A cue that does not say how long it lasts is only known to be there when it begins.
        guard packet.duration > 0, !overflow else { return pts >= first && pts < limit }
        let (start, end) = (max(pts, first), min(last, limit))
        guard start < end else { return false }
        (packet.pts, packet.duration) = (start, end - start)
        return true
    }

    private func ticks(_ seconds: Double?, _ packet: Packet) -> Int64? {
        seconds.map { MediaTime(seconds: $0).rescaled(to: packet.timeBase).ticks }
    }
}
