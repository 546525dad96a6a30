import VTXJSON
import VTXJobs
import VTXSystem

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

    /// Returns when the job of a path's last version was submitted, or when an earlier folder with this name was
    /// removed: the jobs from before then were its own.
    func lastSubmission(_ path: String, in folder: String) throws(StoreError) -> Timestamp? {
        var last = try records.record(RecordCollections.watched, Self.name(path, folder))?["submitted"]
        if last == nil { last = try records.record(RecordCollections.removedFolders, folder) }
        return last?.integer.map { Timestamp(milliseconds: $0) }
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
    private static func path(_ name: String) -> String { String(name.drop { $0 != "\n" }.dropFirst()) }

    private static func stamp(_ record: JSONValue) -> FileSettling.Stamp {
        .init(byteCount: record["bytes"]?.integer ?? -1, modifiedAt: record["modified"]?.integer ?? -1)
    }
}

// MARK: Forgetting

extension WatchedFiles {
    /// Forgets a removed folder's files: another folder with its name takes them again.
    func forget(_ folder: String, at now: Timestamp) throws(StoreError) {
        let names = try records.records(RecordCollections.watched, prefix: Self.name("", folder)).map(\.name)
        guard !names.isEmpty else { return }
        try records.put(.integer(now.milliseconds), RecordCollections.removedFolders, folder)
        try records.removeRecords(RecordCollections.watched, names)
    }

    /// Forgets files that were submitted before a time, and are gone.
    func forgetGone(below path: String, in folder: String, before time: Timestamp) throws(StoreError) {
        var listed: [String: Set<String>] = [:]
        let old = try records.records(RecordCollections.watched, prefix: Self.name("\(path)/", folder))
            .filter { ($0.value["submitted"]?.integer ?? 0) < time.milliseconds }
        let gone = old.map(\.name).filter { Self.isGone(Self.path($0), &listed) }
        if !gone.isEmpty { try records.removeRecords(RecordCollections.watched, gone) }
    }

    /// Whether a file was removed. The nearest directory that is left has other files: the one where a disk is not
    /// mounted has none.
    private static func isGone(_ path: String, _ listed: inout [String: Set<String>]) -> Bool {
        guard FileStatus(path, followsLinks: false) == nil else { return false }
        var (directory, name) = FileName.directory(of: path)
        while FileStatus(directory) == nil, directory != "/" { (directory, name) = FileName.directory(of: directory) }
        let names = listed[directory] ?? Set(Directory.names(in: directory))
        listed[directory] = names
        return !names.isEmpty && !names.contains(name)
    }
}
