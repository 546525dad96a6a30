import VTXFFmpeg
import VTXMedia

/// Decodes a stream from its beginning until the first picture comes out, and no further.
struct FirstFrameDecoder {
    private(set) var frame: Frame?
    private let index: Int?
    private var decoder: DecoderContext?

    init(_ stream: InputStream?) {
        index = stream?.index
        // One thread: more would only hold the picture back.
        decoder = stream.flatMap { try? DecoderContext($0, threads: 1) }
    }

    /// - Parameter packet: nil when there are no more.
    mutating func offer(_ packet: Packet?) {
        guard let decoder, packet == nil || packet?.streamIndex == index else { return }
        do {
            try decoder.send(packet)
            guard case .unit(let frame) = try decoder.receive() else { return }
            frame.normalizeFullRangeFormat()
            self.frame = frame
            self.decoder = nil
        } catch {
            // Then there is no picture, and the check says so.
            self.decoder = nil
        }
    }
}
