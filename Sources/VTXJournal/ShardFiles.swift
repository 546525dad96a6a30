import Glibc
import VTXSystem

/// The two files of a shard, opened for writing.
final class ShardFiles: Sendable {
    private let journal: JournalDirectory
    private let path: String
    private let gops: FileDescriptor
    private let index: FileDescriptor
    private let hasSynchronizedNames = Locked(false)

    /// - Parameter records: The committed GOPs; the files are truncated after them.
    init(_ name: String, of journal: JournalDirectory, after records: [GOPRecord]) throws(JournalError) {
        self.journal = journal
        path = journal.file(name)
        let end = records.last.map { $0.offset + $0.byteCount } ?? 0
        gops = try Self.open("\(path).gops", at: end)
        index = try Self.open("\(path).index", at: Int64(records.count * GOPRecord.byteCount))
    }

    private static func open(_ path: String, at end: Int64) throws(JournalError) -> FileDescriptor {
        try reportingErrors(of: path) { () throws(SystemError) in
            let file = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
            try file.truncate(to: end)
            return file
        }
    }

    func mark() throws(JournalError) {
        if !journal.isMarked { try journal.mark() }
    }

    func writeData(_ bytes: [UInt8], at offset: Int64) throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try gops.seek(to: offset)
            try gops.writeAll(bytes)
        }
    }

    func writeRecord(_ record: GOPRecord) throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try index.seek(to: Int64(record.number) * Int64(GOPRecord.byteCount))
            try index.writeAll(record.bytes)
        }
    }

    func synchronize() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try gops.synchronizeContent()
            try index.synchronizeContent()
        }
        guard !hasSynchronizedNames.withLock(\.self) else { return }
        try journal.synchronize()
        hasSynchronizedNames.withLock { $0 = true }
    }
}
