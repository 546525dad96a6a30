import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

/// An active watch folder: detects which of its files are complete. Used by one thread.
final class WatchedTree {
    let folder: WatchFolder
    /// Without symbolic links.
    let path: String
    private let events: DirectoryEvents
    private var settling: FileSettling
    /// The directories below `path`, by inotify's descriptors.
    private var directories: [Int32: String] = [:]
    /// The files examined, with their state at that time.
    private var known: [String: FileSettling.Stamp] = [:]
    /// Whether the folder itself has been removed.
    private(set) var isLost = false
    /// Why some subdirectory cannot be watched. Periodic scans continue.
    private(set) var problem: String?

    init(_ folder: WatchFolder, _ path: String, at now: Double) throws(SystemError) {
        self.folder = folder
        self.path = path
        events = try DirectoryEvents()
        settling = FileSettling(seconds: folder.settleSeconds)
        scan(at: now)
    }

    /// For `Poll`.
    var number: Int32 { events.number }
    var nextCheck: Double? { settling.nextCheck }

    /// Scans everything: at the start, after lost events, and for file systems that report none.
    func scan(at now: Double) {
        problem = nil
        scan("", at: now)
    }

    private func scan(_ directory: String, at now: Double) {
        watch(directory)
        for name in Directory.names(in: absolute(directory)) where !name.hasPrefix(".") {
            let relative = directory.isEmpty ? name : "\(directory)/\(name)"
            switch FileStatus(absolute(relative), followsLinks: false)?.kind {
            case .directory where folder.recursive: scan(relative, at: now)
            case .regular: see(relative, isComplete: false, at: now)
            default: break
            }
        }
    }

    private func watch(_ directory: String) {
        do throws(SystemError) { directories[try events.watch(absolute(directory))] = directory } catch {
            if directory.isEmpty, [ENOENT, ENOTDIR].contains(error.code) { isLost = true }
            // The directory may have been removed meanwhile.
            guard error.code != ENOENT else { return }
            let limit = "the system's limit of watches is reached (fs.inotify.max_user_watches)"
            problem = error.code == ENOSPC ? limit : "'\(absolute(directory))' cannot be watched: \(error.reason)"
        }
    }

    /// Reads the kernel's events.
    func take(at now: Double) {
        guard let reported = try? events.read() else { return }
        if reported.contains(where: { $0.kind == .overflow }) { return scan(at: now) }
        reported.forEach { take($0, at: now) }
    }

    private func take(_ event: DirectoryEvents.Event, at now: Double) {
        guard let directory = directories[event.directory] else { return }
        let relative = directory.isEmpty ? event.name : "\(directory)/\(event.name)"
        switch event.kind {
        case .complete: see(relative, isComplete: true, at: now)
        case .changed: see(relative, isComplete: false, at: now)
        case .newDirectory: if folder.recursive, !event.name.hasPrefix(".") { scan(relative, at: now) }
        case .gone:
            known[relative] = nil
            settling.handle(.gone(relative), at: now)
        case .lost:
            directories[event.directory] = nil
            if directory.isEmpty { isLost = true }
        case .overflow: break
        }
    }

    private func see(_ relative: String, isComplete: Bool, at now: Double) {
        guard folder.takes(relative), let stamp = stamp(relative), known[relative] != stamp else { return }
        settling.handle(isComplete ? .closed(relative, stamp) : .seen(relative, stamp), at: now)
    }

    private func stamp(_ relative: String) -> FileSettling.Stamp? {
        guard let status = FileStatus(absolute(relative), followsLinks: false), status.kind == .regular else {
            return nil
        }
        return .init(byteCount: status.byteCount, modifiedAt: status.modificationTime)
    }

    /// Returns complete files that have not been returned before.
    func settled(at now: Double) -> [(path: String, stamp: FileSettling.Stamp)] {
        settling.settled(at: now) { stamp($0) }.filter { known[$0.path] != $0.stamp }
    }

    /// Notes an examined file, which is returned again if it changes.
    func note(_ relative: String, _ stamp: FileSettling.Stamp) { known[relative] = stamp }

    func absolute(_ relative: String) -> String { relative.isEmpty ? path : "\(path)/\(relative)" }
}

/// The files of watch folders that have been processed, and the outputs of the service. Neither becomes a job again,
/// even after a restart.
struct WatchedFiles: Sendable {
    let records: any RecordStore
    let outputs: any OutputRegistry

    func has(_ path: String, _ stamp: FileSettling.Stamp, in folder: String) throws(StoreError) -> Bool {
        let record = try records.record(RecordCollections.watched, Self.name(path, folder))
        if record.map(Self.stamp) == stamp { return true }
        // A file that another program has put in the place of an output is none.
        if try outputs.record(of: path)?["bytes"]?.integer == stamp.byteCount { return true }
        return try isInOutput(path)
    }

    /// Whether a file is in a directory that is an output.
    private func isInOutput(_ path: String) throws(StoreError) -> Bool {
        let directory = FileName.directory(of: path).directory
        guard let record = try outputs.record(of: directory) else { return false }
        return record["inode"] == FileIdentity(directory).map(Self.inode)
    }

    func add(
        _ path: String, _ stamp: FileSettling.Stamp, in folder: String, submitted time: Timestamp
    ) throws(StoreError) {
        let value: JSONValue = [
            "bytes": .integer(stamp.byteCount), "modified": .integer(stamp.modifiedAt),
            "submitted": .integer(time.milliseconds),
        ]
        try records.put(value, RecordCollections.watched, Self.name(path, folder))
    }

    /// Returns when the job of a path's last version was submitted.
    func lastSubmission(_ path: String, in folder: String) throws(StoreError) -> Timestamp? {
        let record = try records.record(RecordCollections.watched, Self.name(path, folder))
        return record?["submitted"]?.integer.map { Timestamp(milliseconds: $0) }
    }

    /// - Parameters:
    ///   - path: Without symbolic links.
    ///   - file: The file that will get this name.
    ///   - there: The file that has it; nil for none.
    func addOutput(_ path: String, _ file: FileStatus, after there: FileStatus?, of job: Job) throws(StoreError) {
        var members: [String: JSONValue] = [
            "bytes": .integer(file.byteCount), "inode": Self.inode(file.identity),
        ]
        if let source = Self.source(of: job) {
            // The rename may still fail: then the one before is there, and is known as well.
            let isKnown = try there.map { (there) throws(StoreError) in try isEarlierOutput(path, there, of: job) }
            members["source"] = .string(source)
            members["files"] = .array([isKnown == true ? there : nil, file].compactMap { $0.map(Self.mark) })
        }
        try outputs.put(.object(members), of: path)
    }

    /// Whether an existing file is the earlier output of the same source in the job's watch folder. The source has
    /// changed since, and the new output replaces it. Other files are left alone.
    func isEarlierOutput(_ path: String, _ file: FileStatus, of job: Job) throws(StoreError) -> Bool {
        guard let source = Self.source(of: job) else { return false }
        let record = try outputs.record(of: path)
        return record?["source"]?.string == source && record?["files"]?.array?.contains(Self.mark(file)) == true
    }

    /// Identifies a file. Size and time are included, because inode numbers are reused.
    private static func mark(_ file: FileStatus) -> JSONValue {
        [
            "inode": inode(file.identity), "bytes": .integer(file.byteCount),
            "modified": .integer(file.modificationTime),
        ]
    }

    private static func inode(_ file: FileIdentity) -> JSONValue { .string("\(file.inode)") }

    /// Identifies the file of a watch folder; nil for other jobs.
    static func source(of job: Job) -> String? {
        guard let folder = job.watchFolder, let path = job.specification.input.path else { return nil }
        return name(path, folder)
    }

    private static func name(_ path: String, _ folder: String) -> String { "\(folder)\n\(path)" }

    private static func stamp(_ record: JSONValue) -> FileSettling.Stamp {
        .init(byteCount: record["bytes"]?.integer ?? -1, modifiedAt: record["modified"]?.integer ?? -1)
    }
}
