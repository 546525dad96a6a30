import VTXJSON
import VTXJobs

/// Which files of watch folders have been taken, and which are outputs of the service: neither becomes a job again,
/// also after a restart.
struct WatchedFiles: Sendable {
    let records: any RecordStore

    func has(_ path: String, _ stamp: FileSettling.Stamp, in folder: String) throws(StoreError) -> Bool {
        // A file that another program has put in the place of an output is none.
        let output = try records.record(RecordCollections.watched, Self.outputName(path))
        if output?["bytes"]?.integer == stamp.byteCount { return true }
        let record = try records.record(RecordCollections.watched, Self.name(path, folder))
        return record == Self.value(stamp)
    }

    func add(_ path: String, _ stamp: FileSettling.Stamp, in folder: String) throws(StoreError) {
        try records.put(Self.value(stamp), RecordCollections.watched, Self.name(path, folder))
    }

    /// - Parameter path: without symbolic links.
    func addOutput(_ path: String, _ byteCount: Int64) throws(StoreError) {
        try records.put(["bytes": .integer(byteCount)], RecordCollections.watched, Self.outputName(path))
    }

    /// As of a folder without a name.
    private static func outputName(_ path: String) -> String { "\n\(path)" }
    private static func name(_ path: String, _ folder: String) -> String { "\(folder)\n\(path)" }

    private static func value(_ stamp: FileSettling.Stamp) -> JSONValue {
        ["bytes": .integer(stamp.byteCount), "modified": .integer(stamp.modifiedAt)]
    }
}
