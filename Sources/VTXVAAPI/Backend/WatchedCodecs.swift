import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// A codec or filter whose calls, including opening and closing, are noted as the driver's work.
///
/// Unchecked: one thread at a time calls it, as the protocol requires.
private final class Watched<Codec>: @unchecked Sendable {
    /// nil only while closing.
    private(set) var codec: Codec!
    private let note: CrashNote

    init(_ note: CrashNote, _ open: () throws(SessionError) -> Codec) throws(SessionError) {
        self.note = note
        codec = try note.during(open)
    }

    deinit { note.during { codec = nil } }

    func call<Result, Failure: Error>(_ work: (Codec) throws(Failure) -> Result) throws(Failure) -> Result {
        try note.during { () throws(Failure) in try work(codec) }
    }
}

struct WatchedDecoder: VideoDecoder {
    private let watched: Watched<any VideoDecoder>

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoDecoder) throws(SessionError) {
        watched = try Watched(note, open)
    }

    func send(_ packet: Packet?) throws(SessionError) {
        try watched.call { (decoder) throws(SessionError) in try decoder.send(packet) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        try watched.call { (decoder) throws(SessionError) in try decoder.receive() }
    }

    func reset() { watched.call { $0.reset() } }
    func expectReordering(of depth: Int) { watched.codec.expectReordering(of: depth) }
    func missingPictures() -> MissingPictures { watched.codec.missingPictures() }
}

struct WatchedFilter: VideoFilter {
    private let watched: Watched<any VideoFilter>

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoFilter) throws(SessionError) {
        watched = try Watched(note, open)
    }

    func send(_ frame: Frame?) throws(SessionError) {
        try watched.call { (filter) throws(SessionError) in try filter.send(frame) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        try watched.call { (filter) throws(SessionError) in try filter.receive() }
    }
}

struct WatchedEncoder: VideoEncoder {
    private let watched: Watched<any VideoEncoder>

    init(_ note: CrashNote, _ open: () throws(SessionError) -> any VideoEncoder) throws(SessionError) {
        watched = try Watched(note, open)
    }

    var parameters: CodecParameters { watched.codec.parameters }
    var compromises: [String] { watched.codec.compromises }
    var mode: EncodingMode? { watched.codec.mode }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        try watched.call { (encoder) throws(SessionError) in try encoder.send(frame, forcesKeyFrame: forcesKeyFrame) }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        try watched.call { (encoder) throws(SessionError) in try encoder.receive() }
    }
}
