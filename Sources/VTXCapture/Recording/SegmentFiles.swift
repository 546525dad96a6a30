import VTXFFmpeg
import VTXMedia
import VTXPlaylist
import VTXSystem
import VTXTask

/// The files of segments, written sequentially. Each gets its name when it is complete.
///
/// Unchecked: one thread at a time calls it.
final class SegmentFiles: ByteSink, @unchecked Sendable {
    private var file: AtomicFile?
    /// The current part, whose bytes are also written to the segment's file.
    private var part: AtomicFile?
    /// The size of all files except parts.
    private(set) var byteCount: Int64 = 0
    /// The size of the current file, and of the part.
    private(set) var fileByteCount = 0
    private(set) var partByteCount = 0
    /// Why a file cannot be written.
    private(set) var failure: TranscodeError?

    func open(_ path: String) throws(TranscodeError) { (file, fileByteCount) = (try Self.reserve(path), 0) }

    func openPart(_ path: String) throws(TranscodeError) { (part, partByteCount) = (try Self.reserve(path), 0) }

    private static func reserve(_ path: String) throws(TranscodeError) -> AtomicFile {
        try reportingOutputErrors { () throws(AtomicFileError) in try AtomicFile.reserve(path, replaces: true) }
    }

    func write(_ bytes: RawSpan) throws(SystemError) {
        do throws(AtomicFileError) {
            try file?.write(bytes)
            try part?.write(bytes)
        } catch {
            failure = TranscodeError(error)
            if case .system(_, let reason) = error { throw reason }
        }
        byteCount += Int64(bytes.byteCount)
        fileByteCount += bytes.byteCount
        partByteCount += bytes.byteCount
    }

    func close() throws(TranscodeError) {
        try reportingOutputErrors { () throws(AtomicFileError) in try file?.commit() }
        file = nil
    }

    func closePart() throws(TranscodeError) {
        try reportingOutputErrors { () throws(AtomicFileError) in try part?.commit() }
        part = nil
    }

    /// Removes incomplete files.
    func discard() {
        file?.discard()
        part?.discard()
        (file, part) = (nil, nil)
    }
}

/// The playlist file. Each version replaces the previous one. Between versions, the next one is reserved, which locks
/// out other processes.
struct PlaylistFile {
    private let path: String
    private var next: AtomicFile?

    init(_ path: String, replaces: Bool) throws(TranscodeError) {
        self.path = path
        try reserve(replaces: replaces)
    }

    mutating func write(_ text: String, isLast: Bool) throws(TranscodeError) {
        guard let file = next else { return }
        next = nil
        try reportingOutputErrors { () throws(AtomicFileError) in
            try file.write(text)
            try file.commit()
        }
        if !isLast { try reserve(replaces: true) }
    }

    private mutating func reserve(replaces: Bool) throws(TranscodeError) {
        let path = path
        next = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(path, replaces: replaces)
        }
    }

    /// Removes the reserved version.
    mutating func discard() {
        next?.discard()
        next = nil
    }
}

extension LivePlaylist {
    /// - Parameter number: The number of its first segment.
    init(_ settings: LivePlaylistRequest, from number: Int) {
        self.init(
            seconds: Double(settings.segmentSeconds), partSeconds: settings.partMilliseconds.map { Double($0) / 1000 },
            window: settings.keepsAll ? nil : settings.window, sequence: number)
    }
}

extension SegmentSchedule {
    init(_ settings: LivePlaylistRequest) {
        self.init(
            length: MediaTime.rescale(
                Int64(settings.segmentSeconds), from: Rational(1, 1), to: CaptureTimeline.timeBase))
    }
}
