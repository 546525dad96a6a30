import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

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
