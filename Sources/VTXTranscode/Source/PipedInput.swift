import VTXFFmpeg
import VTXMedia
package import VTXSystem
import VTXTask

/// A source that can be read only once and forward: standard input.
///
/// Unchecked: read by one thread at a time.
package final class PipedInput: ByteSource, @unchecked Sendable {
    private let end: PipeEnd
    private let willRead: @Sendable () -> Void
    /// The first bytes, which can be read again.
    private(set) var beginning: [UInt8] = []
    /// The number of bytes of the beginning that have been looked at but not read.
    private var ahead = 0
    private(set) var byteCount: Int64 = 0
    /// nil if not requested.
    private var digest: SHA256?
    private var isAtEnd = false

    /// Enough for the headers of a raw stream, and for the boxes before an MP4's index.
    private static let beginningSize = 1 << 18

    /// - Parameters:
    ///   - digests: Whether to compute a digest of all bytes.
    ///   - willRead: Called before each read.
    init(_ end: PipeEnd, digests: Bool, willRead: @escaping @Sendable () -> Void) {
        (self.end, self.willRead) = (end, willRead)
        if digests { digest = SHA256() }
    }

    /// Stops waiting for input.
    func stop() { end.stop() }

    package func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        guard ahead == 0 else {
            let (count, first) = (min(target.byteCount, ahead), beginning.count - ahead)
            for index in 0..<count {
                target.storeBytes(of: beginning[first + index], toByteOffset: index, as: UInt8.self)
            }
            ahead -= count
            return count
        }
        return try readMore(into: &target)
    }

    private func readMore(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        willRead()
        let count = try end.read(into: &target)
        isAtEnd = count == 0
        let bytes = target.bytes.extracting(first: count)
        digest?.add(bytes)
        if beginning.count < Self.beginningSize {
            beginning.append(bytes.extracting(first: min(count, Self.beginningSize - beginning.count)))
        }
        byteCount += Int64(count)
        return count
    }

    /// Looks at the beginning before anything is read, at more and more of it, until `recognize` returns a result.
    ///
    /// - Returns: nil if the beginning is not recognized.
    private func lookAhead<Result>(_ recognize: ([UInt8]) -> Result?) throws(SystemError) -> Result? {
        while true {
            if let result = recognize(beginning) { return result }
            // Bytes beyond the buffer of the beginning could not be read again.
            let room = Self.beginningSize - beginning.count
            guard room > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: min(room, 1 << 16))
            var span = buffer.mutableSpan
            var target = span.mutableBytes
            let count = try readMore(into: &target)
            guard count > 0 else { return nil }
            ahead += count
        }
    }

    /// Reads to the end what the reader has left.
    func drain() throws(SystemError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isAtEnd {
            var span = buffer.mutableSpan
            var target = span.mutableBytes
            _ = try read(into: &target)
        }
    }

    /// The size and digest of everything read; nil if not requested.
    var bytes: PipedBytes? { digest.map { PipedBytes(count: byteCount, sha256: $0.finish().hexadecimal) } }
}

extension PipedInput {
    /// - Throws: `input.pipe` if no data arrives, `input.notStreamable` for a format that cannot be read forward.
    func check() throws(TranscodeError) {
        let layout: MovieLayout?
        do throws(SystemError) { layout = try lookAhead(MovieLayout.init) } catch {
            throw TranscodeError(.inputPipe, "standard input cannot be read: \(error)").caused(by: error.reason)
        }
        guard byteCount > 0 else {
            throw TranscodeError(
                .inputPipe, "standard input is empty", hint: "the program writing to it has ended")
        }
        guard layout != .indexAtEnd else {
            throw TranscodeError(
                .inputNotStreamable,
                "standard input is an MP4 or QuickTime file with its index (the 'moov' box) at the end, which cannot be "
                    + "read from a pipe",
                hint:
                    "give the file itself, or write it with the index first: ffmpeg -i FILE -c copy -movflags +faststart"
            )
        }
    }

    func open(frameRate: Rational?) throws(TranscodeError) -> Demuxer {
        do { return try Demuxer(reading: self, refusing: InputFile.refusedNames, frameRate: frameRate) } catch {
            throw TranscodeError(
                .inputNotMedia,
                "standard input is not a media file, is damaged at its beginning, or cannot be read from a pipe",
                hint: "give the file itself"
            ).caused(by: "\(error)")
        }
    }

    /// Opens the beginning again, for probing without consuming it.
    func reopenBeginning(format: String, frameRate: Rational) -> Demuxer? {
        try? Demuxer(reading: BytesInOrder(beginning), format: format, frameRate: frameRate)
    }
}

/// The position of the index of an MP4 or QuickTime file. Pure.
private enum MovieLayout {
    case noMovie
    case indexFirst
    case indexAtEnd

    /// Boxes that may precede both index and media (ISO/IEC 14496-12, and QuickTime's `wide`).
    private static let others: Set = ["ftyp", "wide", "free", "skip", "uuid", "pdin", "styp", "sidx", "pnot"]

    /// nil if more bytes are needed.
    init?(_ bytes: [UInt8]) {
        var offset = 0
        while true {
            guard bytes.count >= offset + 16 else { return nil }
            if let found = Self.layout(atBox: String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)) {
                self = found
                return
            }
            let short = Self.number(bytes[offset..<offset + 4])
            let size = short == 1 ? Self.number(bytes[offset + 8..<offset + 16]) : short
            guard size >= 8, size < Int.max - offset else {
                self = .noMovie
                return
            }
            offset += size
        }
    }

    /// nil for a box that does not determine the layout.
    private static func layout(atBox type: String) -> MovieLayout? {
        switch type {
        case "moov", "moof": .indexFirst
        case "mdat": .indexAtEnd
        case _ where others.contains(type): nil
        default: .noMovie
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

/// Bytes in memory.
///
/// Unchecked: read by one thread.
final class BytesInOrder: ByteSource, @unchecked Sendable {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        let count = min(target.byteCount, bytes.count - position)
        for index in 0..<count {
            target.storeBytes(of: bytes[position + index], toByteOffset: index, as: UInt8.self)
        }
        position += count
        return count
    }
}
