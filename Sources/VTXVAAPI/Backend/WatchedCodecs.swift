import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// A decoder, whose every call is the driver's work.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class WatchedDecoder: VideoDecoder, @unchecked Sendable {
    /// nil at the end only.
    private var decoder: (any VideoDecoder)!
    private let note: CrashNote

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoDecoder) throws(SessionError) {
        self.note = note
        decoder = try note.during(open)
    }

    deinit { note.during { decoder = nil } }

    func send(_ packet: Packet?) throws(SessionError) {
        try note.during { () throws(SessionError) in try decoder.send(packet) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        try note.during { () throws(SessionError) in try decoder.receive() }
    }

    func reset() { note.during { decoder.reset() } }
    func expectReordering(of depth: Int) { decoder.expectReordering(of: depth) }
    func missingPictures() -> MissingPictures { decoder.missingPictures() }
}

/// Likewise a filter.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class WatchedFilter: VideoFilter, @unchecked Sendable {
    private var filter: (any VideoFilter)!
    private let note: CrashNote

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoFilter) throws(SessionError) {
        self.note = note
        filter = try note.during(open)
    }

    deinit { note.during { filter = nil } }

    func send(_ frame: Frame?) throws(SessionError) {
        try note.during { () throws(SessionError) in try filter.send(frame) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        try note.during { () throws(SessionError) in try filter.receive() }
    }
}

/// Likewise an encoder.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class WatchedEncoder: VideoEncoder, @unchecked Sendable {
    private var encoder: (any VideoEncoder)!
    private let note: CrashNote

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoEncoder) throws(SessionError) {
        self.note = note
        encoder = try note.during(open)
    }

    deinit { note.during { encoder = nil } }

    var parameters: CodecParameters { encoder.parameters }
    var compromises: [String] { encoder.compromises }
    var mode: EncodingMode? { encoder.mode }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        try note.during { () throws(SessionError) in try encoder.send(frame, forcesKeyFrame: forcesKeyFrame) }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        try note.during { () throws(SessionError) in try encoder.receive() }
    }
}
