import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// An encoder that takes frames again after its end: those of the next segment go to a new encoder, opened as the first
/// one was.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class SegmentEncoder: VideoEncoder, @unchecked Sendable {
    private let open: @Sendable () throws(SessionError) -> any VideoEncoder
    /// nil between two segments.
    private var encoder: (any VideoEncoder)?
    private var isEnding = false
    private(set) var parameters: CodecParameters
    let compromises: [String]
    let mode: EncodingMode?

    init(_ encoder: any VideoEncoder, open: @escaping @Sendable () throws(SessionError) -> any VideoEncoder) {
        (self.encoder, self.open) = (encoder, open)
        (parameters, compromises, mode) = (encoder.parameters, encoder.compromises, encoder.mode)
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        isEnding = frame == nil
        if encoder == nil {
            let opened = try open()
            (encoder, parameters) = (opened, opened.parameters)
        }
        try encoder?.send(frame, forcesKeyFrame: forcesKeyFrame)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        guard let encoder else { return .endOfStream }
        let output = try encoder.receive()
        // What it had is free for the next one.
        if isEnding, case .endOfStream = output { self.encoder = nil }
        return output
    }
}

extension OpenedStages {
    /// The same once more, in software, for segments that are worked on at one time.
    func another(_ encoding: VideoEncoding, _ stream: InputStream) throws(SessionError) -> OpenedStages {
        var decoding = DecoderConfiguration(stream: stream)
        // With more, libavcodec calls frames damaged that are not, where decoding begins at an open group.
        decoding.threads = 1
        let session = sessions.encoding
        let open: @Sendable () throws(SessionError) -> any VideoEncoder = { () throws(SessionError) in
            try session.makeEncoder(encoding.encoder)
        }
        return OpenedStages(
            sessions: sessions, decoder: try sessions.decoding.makeDecoder(decoding),
            filter: try sessions.filtering.makeFilter(encoding.filter, from: sessions.decoding, to: session),
            encoder: SegmentEncoder(try open(), open: open), recoveries: recoveries)
    }
}
