import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

// Workers of servers before this one: they write on while there is none.
extension CommandRunner {
    package func finished(
        _ work: MediaWork, _ control: RunControl, _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork? {
        let running = Self.running(in: work.workDirectory)
        let left = Self.leftRecords(work, except: running?.identity.records)
        for records in left { records.records.forEach { Self.pass($0, of: records.path, report) } }
        do {
            if let running {
                let name = FileName.directory(of: running.identity.records).name
                return try finish(running, from: work.takenRecords[name] ?? 0, control, report)
            }
            guard let last = left.last(where: { $0.result != nil }) else { return nil }
            // A cancelled attempt is resumed.
            if last.result?.value["status"]?.string == "cancelled" { return nil }
            let finished = try Self.outcome(last.result, in: last.path, isStopped: false, report)
            return work.hasOutput ? finished : nil
        } catch let failure as Failure where failure.isMismatch {
            return nil
        }
    }

    package func endOfLeftWorker(in workDirectory: String) -> (@Sendable () -> Void)? {
        guard let worker = Self.running(in: workDirectory) else { return nil }
        return {
            // It comes to a checkpoint first.
            worker.send(SIGTERM)
            if worker.hasEnded(within: 5) { return }
            worker.send(SIGKILL)
            _ = worker.hasEnded(within: 5)
        }
    }

    /// The records of a worker that no server has taken.
    private struct LeftRecords {
        var path: String
        var records: [RecordFile.Record]
        var result: RecordFile.Record?
    }

    /// In the order of the attempts.
    private static func leftRecords(_ work: MediaWork, except running: String?) -> [LeftRecords] {
        let names = Directory.names(in: work.workDirectory).filter { $0.hasPrefix("records.") && !$0.hasSuffix(".log") }
        let number = { (name: String) in name.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0 }
        return names.sorted { (number($0), $0) < (number($1), $1) }.compactMap { name in
            let path = "\(work.workDirectory)/\(name)"
            guard path != running, var file = try? RecordFile(path, from: work.takenRecords[name] ?? 0) else {
                return nil
            }
            let records = file.read()
            return LeftRecords(
                path: path, records: records.filter { !$0.isResult }, result: records.last { $0.isResult })
        }
    }

    /// Returns the running worker that an earlier server started for this job.
    private static func running(in workDirectory: String) -> DetachedWorker? {
        guard let text = TextFile.read(identityPath(in: workDirectory)), let value = try? JSONValue(parsing: text),
            let identity: DetachedWorker.Identity = try? value.decoded()
        else { return nil }
        return DetachedWorker(identity)
    }
}
