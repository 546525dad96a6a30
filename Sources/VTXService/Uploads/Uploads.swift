import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The uploads of clients, each in its own directory. A complete upload can be the source of a job.
final class Uploads: Sendable {
    private let directory: String
    private let records: any RecordStore
    /// The maximum size of an upload, in bytes.
    let limit: Int64
    /// The uploads that are receiving bytes: one connection at a time.
    private let busy = Locked<Set<String>>([])

    init(_ directory: String, _ records: any RecordStore, limit: Int64) {
        self.directory = directory
        self.records = records
        self.limit = limit
    }

    /// Begins a new upload; `complete(_:)` makes it known.
    ///
    /// - Parameters:
    ///   - length: The size of the file; nil if the end of the request determines it.
    ///   - coming: The size of this request; nil if unknown.
    func begin(name: String, length: Int64?, coming: Int64?) throws(Problem) -> UploadSink {
        if let length = length ?? coming { try checkRoom(for: length) }
        if let length, let coming, coming > length { throw Self.tooLarge(length) }
        var generator = SystemRandomNumberGenerator()
        let id = JobID(using: &generator).text
        let upload = Upload(id: id, length: length ?? coming ?? -1, name: ClientFileName.plain(name), createdAt: .now)
        let file = try open(upload, isNew: true)
        return UploadSink(upload, file, from: 0, limit: length ?? limit) { [self] isFinished in
            if !isFinished { discard(id) }
        }
    }

    /// Continues an upload.
    func resume(_ id: String, from offset: Int64, coming: Int64?) throws -> UploadSink {
        let upload = try upload(id)
        guard busy.withLock({ $0.insert(id).inserted }) else { throw Self.inUse(id) }
        do {
            let there = self.offset(upload)
            guard offset == there else {
                throw Problem(409, "upload.offset", "the upload has \(there) bytes, not \(offset)")
            }
            if let coming, coming > upload.length - offset { throw Self.tooLarge(upload.length) }
            try checkRoom(for: upload.length - offset)
            return UploadSink(upload, try open(upload, isNew: false), from: offset, limit: upload.length) { [busy] _ in
                busy.withLock { _ = $0.remove(id) }
            }
        } catch {
            busy.withLock { _ = $0.remove(id) }
            throw error
        }
    }

    /// Completes the first request of a new upload.
    func complete(_ sink: UploadSink) throws -> Upload {
        let offset = try sink.finish()
        var upload = sink.upload
        if upload.length < 0 { upload.length = offset }
        do {
            guard upload.length > 0 else { throw Problem(400, "upload.empty", "the file is empty") }
            try records.put(try JSONValue(encoding: upload), RecordCollections.uploads, upload.id)
        } catch {
            discard(upload.id)
            throw error
        }
        return upload
    }

    func upload(_ id: String) throws -> Upload {
        guard JobID(id) != nil, let upload: Upload = try records.record(RecordCollections.uploads, id)?.decoded() else {
            throw Problem.notFound("upload", id)
        }
        return upload
    }

    func all() throws -> [Upload] {
        try records.records(RecordCollections.uploads).compactMap { try? $0.value.decoded() }
    }

    /// Returns the number of bytes received.
    func offset(_ upload: Upload) -> Int64 { FileStatus(path(upload), followsLinks: false)?.byteCount ?? 0 }

    /// - Throws: if it is incomplete or does not exist.
    func completePath(_ id: String) throws -> String {
        let upload = try upload(id)
        let offset = offset(upload)
        guard offset == upload.length else {
            throw Problem(409, "upload.incomplete", "the upload '\(id)' has \(offset) of \(upload.length) bytes")
        }
        return path(upload)
    }

    func remove(_ id: String) throws {
        let upload = try upload(id)
        guard busy.withLock({ !$0.contains(id) }) else { throw Self.inUse(id) }
        _ = try records.removeRecord(RecordCollections.uploads, id)
        discard(upload.id)
    }

    /// Removes uploads that have received no bytes for a while, and the remains of requests from a killed server.
    func removeOld(before time: Timestamp, except used: Set<String>) throws {
        for upload in try all() where !used.contains(upload.id) && changedAt(upload.id) < time {
            try? remove(upload.id)
        }
        let known = Set(try all().map(\.id))
        for id in Directory.names(in: directory) where !known.contains(id) && changedAt(id) < time { discard(id) }
    }
}

// MARK: Files

extension Uploads {
    private func path(_ upload: Upload) -> String { "\(directory)/\(upload.id)/\(upload.name)" }

    private func discard(_ id: String) { Directory.removeTree("\(directory)/\(id)") }

    private func changedAt(_ id: String) -> Timestamp {
        let names =
            Directory.names(in: "\(directory)/\(id)").map { "\(directory)/\(id)/\($0)" } + ["\(directory)/\(id)"]
        let times = names.compactMap { FileStatus($0, followsLinks: false)?.modificationTime }
        return Timestamp(milliseconds: (times.max() ?? 0) / 1_000_000)
    }

    private func open(_ upload: Upload, isNew: Bool) throws(Problem) -> SharedFile {
        let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0)
        do throws(SystemError) {
            if isNew, mkdir("\(directory)/\(upload.id)", 0o700) != 0 { throw SystemError("mkdir", errno) }
            return SharedFile(try FileDescriptor(opening: path(upload), flags, permissions: 0o600))
        } catch { throw UploadSink.failure(error) }
    }

    /// The bytes of a full disk that sources leave to the store, without which no job could end.
    private static let reserve: Int64 = 16 << 20

    /// Returns how many bytes of sources fit on a path's file system.
    static func room(at path: String) -> Int64 {
        guard let available = Directory.availableBytes(path) else { return .max }
        return max(0, available - reserve)
    }

    private func checkRoom(for length: Int64) throws(Problem) {
        guard length <= limit else { throw Self.tooLarge(limit) }
        guard Self.room(at: directory) < length else { return }
        throw Problem(507, "upload.noSpace", "there is no space for \(length) bytes")
    }

    private static func tooLarge(_ limit: Int64) -> Problem {
        Problem(413, "upload.tooLarge", "the upload is limited to \(limit) bytes")
    }

    private static func inUse(_ id: String) -> Problem {
        Problem(409, "upload.busy", "the upload '\(id)' is being received on another connection")
    }
}
