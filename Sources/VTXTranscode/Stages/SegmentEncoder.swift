import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// An encoder that accepts frames after its end: those of the next segment go to a new encoder, opened in the same way
/// or at another quality.
///
/// Unchecked: called by one thread at a time, as the contract requires.
final class SegmentEncoder: VideoEncoder, @unchecked Sendable {
    /// Opens an encoder at a quality; nil for that of the first one.
    typealias Open = @Sendable (Quality?) throws(SessionError) -> any VideoEncoder

    private let open: Open
    private var quality: Quality?
    /// nil between two segments.
    private var encoder: (any VideoEncoder)?
    private var isEnding = false
    /// The parameters of the last encoder.
    private var lastParameters: CodecParameters
    let compromises: [String]
    let mode: EncodingMode?

    init(_ encoder: any VideoEncoder, open: @escaping Open) {
        (self.encoder, self.open) = (encoder, open)
        (lastParameters, compromises, mode) = (encoder.parameters, encoder.compromises, encoder.mode)
    }

    var parameters: CodecParameters { encoder?.parameters ?? lastParameters }
    var replacementCount: Int { encoder?.replacementCount ?? 0 }

    /// Sets the quality of the next segment. Call between two segments.
    func begin(at quality: Quality) {
        guard quality != self.quality else { return }
        self.quality = quality
        if let encoder { (lastParameters, self.encoder) = (encoder.parameters, nil) }
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        isEnding = frame == nil
        if encoder == nil { encoder = try open(quality) }
        try encoder?.send(frame, forcesKeyFrame: forcesKeyFrame)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        guard let encoder else { return .endOfStream }
        let output = try encoder.receive()
        // Frees its memory for the next encoder.
        if isEnding, case .endOfStream = output { (lastParameters, self.encoder) = (encoder.parameters, nil) }
        return output
    }
}

/// A filter that accepts frames after its end, in the same way.
///
/// Unchecked: called by one thread at a time, as the contract requires.
final class SegmentFilter: VideoFilter, @unchecked Sendable {
    private let open: @Sendable () throws(SessionError) -> any VideoFilter
    private var filter: (any VideoFilter)?
    private var isEnding = false

    init(_ filter: any VideoFilter, open: @escaping @Sendable () throws(SessionError) -> any VideoFilter) {
        (self.filter, self.open) = (filter, open)
    }

    func send(_ frame: Frame?) throws(SessionError) {
        isEnding = frame == nil
        if filter == nil { filter = try open() }
        try filter?.send(frame)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        guard let filter else { return .endOfStream }
        let output = try filter.receive()
        if isEnding, case .endOfStream = output { self.filter = nil }
        return output
    }
}

/// A decoder for segments that begin in mid-file, opened after the first decoder has released its resources.
///
/// Unchecked: called by one thread at a time, as the contract requires.
final class SegmentDecoder: VideoDecoder, @unchecked Sendable {
    private let open: @Sendable () throws(SessionError) -> any VideoDecoder
    /// nil between the first two segments.
    private var decoder: (any VideoDecoder)?
    private var isFirst = true

    init(_ decoder: any VideoDecoder, open: @escaping @Sendable () throws(SessionError) -> any VideoDecoder) {
        (self.decoder, self.open) = (decoder, open)
    }

    func send(_ packet: Packet?) throws(SessionError) {
        if decoder == nil { decoder = try open() }
        try decoder?.send(packet)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try decoder?.receive() ?? .needsInput }

    func reset() {
        if isFirst { decoder = nil } else { decoder?.reset() }
        isFirst = false
    }

    func expectReordering(of depth: Int) { decoder?.expectReordering(of: depth) }
    func missingPictures() -> MissingPictures { decoder?.missingPictures() ?? MissingPictures() }
}

extension OpenedStages {
    /// Opens the same stages again, in software, for segments processed in parallel.
    func another(_ encoding: VideoEncoding, _ stream: InputStream) throws(SessionError) -> OpenedStages {
        let session = sessions.encoding
        let open: SegmentEncoder.Open = { quality throws(SessionError) in
            try session.makeEncoder(encoding.encoder.at(quality))
        }
        return OpenedStages(
            sessions: sessions, decoder: try sessions.decoding.makeDecoder(.inMidFile(stream)),
            filter: try sessions.filtering.makeFilter(encoding.filter, from: sessions.decoding, to: session),
            encoder: SegmentEncoder(try open(nil), open: open), recoveries: recoveries)
    }

    /// Sets the quality of the segment that comes next.
    func begin(at quality: Quality?) {
        if let quality, let encoder = encoder as? SegmentEncoder { encoder.begin(at: quality) }
    }

    /// Returns stages that also process the segments after the first one.
    func renewed(_ stream: InputStream) -> OpenedStages {
        guard !sessions.decoding.capabilities.isHardware else { return self }
        let session = sessions.decoding
        let renewed = SegmentDecoder(decoder) { () throws(SessionError) in
            try session.makeDecoder(.inMidFile(stream))
        }
        return OpenedStages(
            sessions: sessions, decoder: renewed, filter: filter, encoder: encoder, recoveries: recoveries)
    }
}

extension DecoderConfiguration {
    /// Returns the configuration for segments after the first one.
    static func inMidFile(_ stream: InputStream) -> DecoderConfiguration {
        var configuration = DecoderConfiguration(stream: stream)
        // With more, libavcodec calls frames damaged that are not, where decoding begins at an open group.
        configuration.threads = 1
        return configuration
    }
}
