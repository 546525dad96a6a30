import Glibc
import VTXJSON
import VTXMedia
package import VTXJobs
import VTXSystem
package import VTXTask

/// Does jobs by `vtx transcode --json`, each in a process of its own.
package final class CommandRunner: JobRunner {
    /// How settings are said on the worker's command line.
    package typealias Flags = @Sendable (Settings) -> [String]

    private let executable: String
    private let flags: Flags
    /// For what belongs to no job.
    let directory: String
    /// What each worker that reads a source is started with.
    private let command: [String]
    /// Its processes stop when this one does: those of a host of its own go on, and the next server finds them.
    private let endsWithThis: Bool

    /// - Parameters:
    ///   - executable: a path of `vtx`; PATH is not searched.
    ///   - directory: where it may keep small files.
    ///   - isSandboxed: workers can open their own files alone.
    ///   - endsWithThis: they stop at their next checkpoint when this process ends, however it does.
    package init(
        _ executable: String, directory: String, isSandboxed: Bool, endsWithThis: Bool = false,
        flags: @escaping Flags
    ) {
        self.executable = executable
        self.directory = directory
        self.endsWithThis = endsWithThis
        self.flags = flags
        command = ["transcode", "--json"] + (isSandboxed ? ["--sandbox"] : [])
    }

    package func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork {
        // A search for a quality takes minutes, and the work begins with it.
        let settings = work.settings.filter { $0.key != OptionName.target.rawValue }
        let arguments = command + ["--explain", "--overwrite"] + (try self.arguments(settings))
        let files = [work.input] + (work.output.map { [$0] } ?? [])
        let worker = try start(arguments + ["--"] + files, "\(work.workDirectory)/plan")
        var document: JSONValue?
        let result = try follow(worker, control) { if $0["type"]?.string == "plan" { document = $0 } }
        _ = try WorkerResult(result, worker, control).finished()
        guard let document else { throw Failure(.worker, "worker.noPlan", "the worker has told no plan") }
        return PlannedWork(document, work.settings)
    }

    package func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork {
        let identityPath = "\(work.workDirectory)/worker"
        do {
            return try finish(try Self.running(identityPath) ?? begin(work, devices, identityPath), control, report)
        } catch let failure as Failure where failure.code == ErrorKind.journalMismatch.rawValue {
            // The source was changed meanwhile, vtx was updated, or another device has another codec for its default.
            return try finish(begin(work, devices, identityPath, "--restart"), control, report)
        }
    }

    private func finish(
        _ worker: DetachedWorker, _ control: RunControl, _ report: (RunReport) -> Void
    ) throws -> FinishedWork {
        let result = try follow(worker, control) { Self.pass($0, report) }
        return try WorkerResult(result, worker, control).finished()
    }

    /// The worker that an earlier server has started for this job and that still runs.
    private static func running(_ identityPath: String) -> DetachedWorker? {
        guard let text = TextFile.read(identityPath), let value = try? JSONValue(parsing: text),
            let identity: DetachedWorker.Identity = try? value.decoded()
        else { return nil }
        return DetachedWorker(identity)
    }

    /// Goes on where an earlier attempt has left a journal beside the output.
    private func begin(
        _ work: MediaWork, _ devices: [Stage: DeviceName], _ identityPath: String, _ flags: String...
    ) throws -> DetachedWorker {
        let arguments = command + flags + (try self.arguments(placed(work.settings, devices)))
        let files = ["--", work.input, work.output ?? ""]
        let worker = try start(arguments + files, "\(work.workDirectory)/records.\(work.attempt)")
        // A server that is killed before this is written finds the output busy, and waits until it is there.
        let identity = try JSONValue(encoding: worker.identity).text
        try? AtomicFile.write(identity, to: identityPath, replaces: true)
        return worker
    }

    func start(_ arguments: [String], _ records: String) throws(Failure) -> DetachedWorker {
        do throws(SystemError) {
            return try DetachedWorker(executable, arguments, records: records, endsWithThis: endsWithThis)
        } catch {
            throw Failure(.worker, "worker.spawn", "no worker could be started: \(error)")
        }
    }

    /// Everything but `overwrite`, which is the service's business: a worker writes beside the output.
    private func arguments(_ settings: [String: JSONValue]) throws(Failure) -> [String] {
        do throws(TranscodeError) {
            return flags(try TranscodeRequest.settings(settings.filter { $0.key != OptionName.overwrite.rawValue }))
        } catch {
            throw Failure(.request, error.kind.rawValue, "\(error.message)", hint: error.hint.map { "\($0)" })
        }
    }

    /// The settings with the scheduler's choice.
    private func placed(_ settings: [String: JSONValue], _ devices: [Stage: DeviceName]) -> [String: JSONValue] {
        var settings = settings
        let gpus = Stage.allCases.reversed().compactMap { devices[$0] }.filter { $0 != .cpu }
        if let gpu = gpus.first {
            settings["device"] = .string(gpu.text)
        } else {
            settings["hardware"] = "off"
            settings["device"] = nil
            settings["failOnFallback"] = nil
        }
        return settings
    }
}

// MARK: A worker's life

extension CommandRunner {
    /// Seconds between two looks at the records.
    private static let interval = 0.2

    /// Reads its records until it ends.
    ///
    /// - Returns: the last one, where that is a result.
    func follow(
        _ worker: DetachedWorker, _ control: RunControl, _ receive: (JSONValue) -> Void
    ) throws(Failure) -> JSONValue? {
        var file: RecordFile
        do throws(SystemError) { file = try RecordFile(worker.identity.records) } catch {
            throw Failure(.worker, "worker.records", "the worker's records cannot be read: \(error)")
        }
        control.onStop { _ in
            worker.send(SIGTERM)
        } kill: {
            worker.send(SIGKILL)
        }
        defer { control.forget() }
        var result: JSONValue?
        var isOver = false
        while !isOver {
            isOver = worker.hasEnded(within: Self.interval)
            for record in file.read() {
                if record["type"]?.string == "result" { result = record } else { receive(record) }
            }
        }
        return result
    }

    private static func pass(_ record: JSONValue, _ report: (RunReport) -> Void) {
        switch record["type"]?.string {
        case "progress": report(.progress(JobProgress(record)))
        case "notice": report(.record(type: "notice", record))
        default: break
        }
    }
}
