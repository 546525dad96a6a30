import Glibc
import VTXJSON
import VTXMedia
package import VTXJobs
import VTXSystem
package import VTXTask

/// Runs jobs as `vtx transcode --json`, each in its own process.
package final class CommandRunner: JobRunner {
    /// Returns settings as command-line arguments of the worker.
    package typealias Flags = @Sendable (Settings) -> [String]

    private let executable: String
    private let flags: Flags
    /// For work that belongs to no job.
    let directory: String
    let isSandboxed: Bool
    /// The command that starts a worker which reads a source.
    private let command: [String]
    /// Whether its processes stop with this one. On a single host they continue, and the next server finds them.
    private let endsWithThis: Bool

    /// - Parameters:
    ///   - executable: The path of `vtx`; PATH is not searched.
    ///   - directory: For small files.
    ///   - isSandboxed: Whether workers can open only their own files.
    ///   - endsWithThis: Whether workers stop at their next checkpoint when this process ends in any way.
    package init(
        _ executable: String, directory: String, isSandboxed: Bool, endsWithThis: Bool = false,
        flags: @escaping Flags
    ) {
        self.executable = executable
        self.directory = directory
        self.endsWithThis = endsWithThis
        self.flags = flags
        self.isSandboxed = isSandboxed
        command = ["transcode", "--json"] + (isSandboxed ? ["--sandbox"] : [])
    }

    package func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork {
        let settings = Self.withoutMeasuring(work.settings)
        // The plan of a job that replaces its source has the name that follows.
        let replaces = settings[OptionName.replace.rawValue] == true
        let arguments =
            command + ["--explain"] + (replaces ? [] : ["--overwrite"]) + (try flags(settings, except: .overwrite))
        let files = [work.input] + (work.output.map { [$0] } ?? [])
        let worker = try start(arguments + ["--"] + files, "\(work.workDirectory)/plan")
        var document: JSONValue?
        let result = try follow(worker, control) { if $0.value["type"]?.string == "plan" { document = $0.value } }
        let records = worker.identity.records
        _ = try WorkerResult(result?.value, in: records, isStopped: control.isStopped).finished()
        guard let document else { throw Failure(.worker, "worker.noPlan", "the worker reported no plan") }
        do { return try PlannedWork(document, work.settings) } catch {
            throw Failure(.worker, "worker.plan", "the worker's plan cannot be read: \(error)")
        }
    }

    /// Leaves out what reads the source as a whole, which takes minutes: the search for a quality, and measuring the
    /// loudness. The work begins with them.
    private static func withoutMeasuring(_ settings: [String: JSONValue]) -> [String: JSONValue] {
        var settings = settings
        for option in [OptionName.target, .loudness] { settings[option.rawValue] = nil }
        guard let tracks = settings[OptionName.audioTrack.rawValue]?.array else { return settings }
        settings[OptionName.audioTrack.rawValue] = .array(
            tracks.map { track in
                guard let text = track.string else { return track }
                return .string(text.split(separator: ":").filter { !$0.hasPrefix("loudness=") }.joined(separator: ":"))
            })
        return settings
    }

    package func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork {
        do {
            return try finish(begin(work, devices), from: 0, control, report)
        } catch let failure as Failure where failure.isMismatch {
            // The source was changed meanwhile, vtx was updated, or another device has another codec for its default.
            return try finish(begin(work, devices, "--restart"), from: 0, control, report)
        }
    }

    func finish(
        _ worker: DetachedWorker, from start: Int64, _ control: RunControl, _ report: (RunReport) -> Void
    ) throws -> FinishedWork {
        let records = worker.identity.records
        let result = try follow(worker, control, from: start) { Self.pass($0, of: records, report) }
        return try Self.outcome(result, in: records, isStopped: control.isStopped, report)
    }

    /// Starts a worker, which resumes if an earlier attempt has left a journal next to the output.
    private func begin(
        _ work: MediaWork, _ devices: [Stage: DeviceName], _ flags: String...
    ) throws -> DetachedWorker {
        let arguments = command + flags + (try self.arguments(work, devices))
        let files = ["--", work.input, work.output ?? ""]
        // A file of its own for each: what is taken of one is counted by its name.
        let name = (["records", "\(work.attempt)"] + flags.map { String($0.drop { $0 == "-" }) }).joined(separator: ".")
        let worker = try start(arguments + files, "\(work.workDirectory)/\(name)")
        // A server that is killed before this is written finds the output busy, and waits until it is there.
        let identity = try JSONValue(encoding: worker.identity).text
        try? AtomicFile.write(identity, to: Self.identityPath(in: work.workDirectory), replaces: true)
        return worker
    }

    func start(_ arguments: [String], _ records: String) throws(Failure) -> DetachedWorker {
        do throws(SystemError) {
            return try DetachedWorker(executable, arguments, records: records, endsWithThis: endsWithThis)
        } catch {
            throw error.isNoSpace
                ? .noSpace(for: records) : Failure(.worker, "worker.spawn", "no worker could be started: \(error)")
        }
    }

    /// All settings except `overwrite` and `replace`, which the service handles: a worker writes next to the output. What
    /// takes the place of a source is compared with it completely.
    private func arguments(_ settings: [String: JSONValue]) throws(Failure) -> [String] {
        var settings = settings
        if settings[OptionName.replace.rawValue] == true {
            settings[OptionName.verify.rawValue] = .string(VerificationLevel.full.rawValue)
        }
        return try flags(settings, except: .overwrite, .replace)
    }

    private func flags(_ settings: [String: JSONValue], except names: OptionName...) throws(Failure) -> [String] {
        let others = settings.filter { setting in !names.contains { $0.rawValue == setting.key } }
        do throws(TranscodeError) { return flags(try TranscodeRequest.settings(others)) } catch {
            throw Failure(.request, error.kind.rawValue, "\(error.message)", hint: error.hint.map { "\($0)" })
        }
    }

    private func arguments(_ work: MediaWork, _ devices: [Stage: DeviceName]) throws(Failure) -> [String] {
        var settings = work.settings
        switch work.segmentedWork {
        case .join(let directory): return ["--join", directory] + (try arguments(settings))
        case .segment(let number, let count):
            settings[OptionName.parallel.rawValue] = nil
            return ["--segment", "\(number)/\(count)"] + (try arguments(placed(settings, devices)))
        case nil:
            settings[OptionName.segments.rawValue] = nil
            return try arguments(placed(settings, devices))
        }
    }

    /// The settings with the devices chosen by the scheduler.
    private func placed(_ settings: [String: JSONValue], _ devices: [Stage: DeviceName]) -> [String: JSONValue] {
        var settings = settings
        let gpus = Stage.allCases.reversed().compactMap { devices[$0] }.filter { $0 != .cpu }
        if let gpu = gpus.first {
            settings[OptionName.device.rawValue] = .string(gpu.text)
        } else {
            settings[OptionName.hardware.rawValue] = .string(HardwarePolicy.off.rawValue)
            settings[OptionName.device.rawValue] = nil
            settings[OptionName.failOnFallback.rawValue] = nil
        }
        return settings
    }
}

// MARK: A worker's life

extension CommandRunner {
    /// The interval between reads of the records, in seconds.
    private static let interval = 0.2

    /// Reads a worker's records until it ends.
    ///
    /// - Parameter start: The number of bytes taken before.
    /// - Returns: the last record if it is a result.
    func follow(
        _ worker: DetachedWorker, _ control: RunControl, from start: Int64 = 0, _ receive: (RecordFile.Record) -> Void
    ) throws(Failure) -> RecordFile.Record? {
        var file: RecordFile
        do throws(SystemError) { file = try RecordFile(worker.identity.records, from: start) } catch {
            throw Failure(.worker, "worker.records", "the worker's records cannot be read: \(error)")
        }
        control.onStop { _ in
            worker.send(SIGTERM)
        } kill: {
            worker.send(SIGKILL)
        }
        defer { control.forget() }
        var result: RecordFile.Record?
        var isOver = false
        while !isOver {
            isOver = worker.hasEnded(within: Self.interval)
            for record in file.read() {
                if record.isResult { result = record } else { receive(record) }
            }
        }
        return result
    }

    static func pass(_ record: RecordFile.Record, of records: String, _ report: (RunReport) -> Void) {
        switch record.value["type"]?.string {
        case "progress": report(.progress(JobProgress(record.value)))
        case "notice": report(.record(type: "notice", record.value, position(record, records)))
        default: break
        }
    }

    /// Returns the outcome of a worker. A result without an output is taken as well, so that no later attempt finds it
    /// again.
    static func outcome(
        _ result: RecordFile.Record?, in records: String, isStopped: Bool, _ report: (RunReport) -> Void
    ) throws -> FinishedWork {
        do { return try WorkerResult(result?.value, in: records, isStopped: isStopped).finished() } catch {
            if let result { report(.taken(position(result, records))) }
            throw error
        }
    }

    private static func position(_ record: RecordFile.Record, _ records: String) -> RecordPosition {
        RecordPosition(file: FileName.directory(of: records).name, bytes: record.end)
    }

    static func identityPath(in workDirectory: String) -> String { "\(workDirectory)/worker" }
}

extension Failure {
    /// Whether the journal belongs to another transcode.
    var isMismatch: Bool { code == ErrorKind.journalMismatch.rawValue }
}

extension CommandRunner {
    package func draw(
        _ thumbnail: Thumbnail, of video: String, at seconds: Double?, in directory: String, _ control: RunControl
    ) {
        let records = "\(directory)/\(thumbnail.rawValue).records"
        defer { for path in [records, records + ".log"] { unlink(path) } }
        let place = seconds.map { ["--at=\((max(0, $0) * 1000).rounded() / 1000)"] } ?? []
        let files = ["--", video, "\(directory)/\(thumbnail.fileName)"]
        let arguments = ["thumbnail", "--json", "--overwrite"] + (isSandboxed ? ["--sandbox"] : []) + place + files
        guard let worker = try? start(arguments, records) else { return }
        _ = try? follow(worker, control) { _ in }
    }
}
