import Glibc
import VTXJobs
import VTXSystem

/// Detects damage in a write-ahead log that SQLite would mistake for its end.
///
/// SQLite replays a log up to the first frame with a wrong checksum, and drops the rest. That is right after a crash,
/// but if a failing disk has damaged the middle, the following transactions would be lost silently. Therefore, a bad
/// frame followed by frames of another transaction is an error.
enum WriteAheadLogCheck {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// - Parameter path: The path of the database.
    static func check(_ path: String) throws(StoreError) {
        guard let log = try? FileDescriptor(opening: "\(path)-wal"), let size = log.status?.byteCount,
            size > headerBytes, let bytes = try? log.readAll(limit: Int(size))
        else { return }
        guard let header = Header(bytes) else {
            throw .damaged(path, "the header of its write-ahead log is not valid")
        }
        var sum = header.checksum
        let frames = (bytes.count - headerBytes) / (frameHeaderBytes + header.pageBytes)
        for number in 0..<frames {
            guard header.owns(number, bytes) else { return }
            if !header.isValid(number, bytes, &sum) { return try judge(number, frames, header, bytes, path) }
        }
    }

    /// Judges a bad frame: it is the log's end if only its own transaction follows.
    private static func judge(
        _ bad: Int, _ frames: Int, _ header: Header, _ bytes: [UInt8], _ path: String
    ) throws(StoreError) {
        let rest = (bad..<frames).prefix { header.owns($0, bytes) || $0 == bad }
        guard let commit = rest.first(where: { header.isCommit($0, bytes) }), commit + 1 < rest.endIndex else { return }
        throw .damaged(path, "frame \(bad + 1) of its write-ahead log is corrupt, and \(rest.count - 1) follow it")
    }

    /// The log's header (SQLite's file format, section 4.1).
    private struct Header {
        let pageBytes: Int
        let checksum: Checksum
        private let salt: ArraySlice<UInt8>
        private let isBigEndian: Bool

        init?(_ bytes: [UInt8]) {
            let magic = bytes.word(0)
            guard magic & ~1 == 0x377f_0682 else { return nil }
            isBigEndian = magic & 1 == 1
            pageBytes = Int(bytes.word(8))
            guard (512...65536).contains(pageBytes) else { return nil }
            salt = bytes[16..<24]
            var sum = Checksum()
            sum.add(bytes[0..<24], isBigEndian)
            guard sum.matches(bytes, at: 24) else { return nil }
            checksum = sum
        }

        private func start(_ frame: Int) -> Int { headerBytes + frame * (frameHeaderBytes + pageBytes) }

        /// Whether a frame belongs to this generation of the log; others remain from before it was restarted.
        func owns(_ frame: Int, _ bytes: [UInt8]) -> Bool { bytes[(start(frame) + 8)..<(start(frame) + 16)] == salt }

        /// Whether the frame ends a transaction, which is marked by the size of the database.
        func isCommit(_ frame: Int, _ bytes: [UInt8]) -> Bool { bytes.word(start(frame) + 4) != 0 }

        func isValid(_ frame: Int, _ bytes: [UInt8], _ sum: inout Checksum) -> Bool {
            let start = start(frame)
            sum.add(bytes[start..<(start + 8)], isBigEndian)
            sum.add(bytes[(start + frameHeaderBytes)..<(start + frameHeaderBytes + pageBytes)], isBigEndian)
            return sum.matches(bytes, at: start + 16)
        }
    }

    private struct Checksum {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        mutating func add(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
            for position in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                first &+= bytes.word(position, isBigEndian) &+ second
                second &+= bytes.word(position + 4, isBigEndian) &+ first
            }
        }

        func matches(_ bytes: [UInt8], at position: Int) -> Bool {
            bytes.word(position) == first && bytes.word(position + 4) == second
        }
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    fileprivate func word(_ position: Int, _ isBigEndian: Bool = true) -> UInt32 {
        let word = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(self[position + $1]) }
        return isBigEndian ? word : word.byteSwapped
    }
}
