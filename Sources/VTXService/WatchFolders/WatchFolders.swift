import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The watch folders: a thread that makes jobs of their files.
final class WatchFolders: Sendable {
    private let records: any RecordStore
    private let roots: Roots
    private let submission: JobSubmission
    /// What the thread is to look at again.
    private let changes = Locked<Set<String>>([])
    private let problems = Locked<[String: String]>([:])
    private let isEnding = Locked(false)
    private let thread = Locked<Thread?>(nil)
    private let wakeUp: WakeUp

    init(_ records: any RecordStore, _ roots: Roots, _ submission: JobSubmission) throws(SystemError) {
        self.records = records
        self.roots = roots
        self.submission = submission
        wakeUp = try WakeUp()
    }

    func start() throws {
        let names = try records.records(RecordCollections.watchFolders).map(\.name)
        changes.withLock { $0.formUnion(names) }
        let started = try Thread("vtx-watch") { [self] in run() }
        thread.withLock { $0 = started }
    }

    func stop() {
        isEnding.withLock { $0 = true }
        wakeUp.wake()
        thread.withLock { $0.take() }?.join()
    }

    // MARK: What clients ask for

    func all() throws -> [(name: String, folder: WatchFolder)] {
        try records.records(RecordCollections.watchFolders).compactMap { name, value in
            (try? value.decoded(WatchFolder.self)).map { (name, $0) }
        }
    }

    func folder(_ name: String) throws -> WatchFolder {
        guard let folder: WatchFolder = try records.record(RecordCollections.watchFolders, name)?.decoded() else {
            throw Problem.notFound("watchFolder", name)
        }
        return folder
    }

    func put(_ name: String, _ folder: WatchFolder) throws {
        _ = try roots.directory(folder.path)
        if let output = folder.output { _ = try roots.directory(output) }
        _ = try submission.presets.settings(folder.settings, preset: folder.preset)
        try records.put(try JSONValue(encoding: folder), RecordCollections.watchFolders, name)
        changed(name)
    }

    func remove(_ name: String) throws {
        _ = try folder(name)
        _ = try records.removeRecord(RecordCollections.watchFolders, name)
        changed(name)
    }

    /// Why a folder is not watched, or not all of it.
    func problem(_ name: String) -> String? { problems.withLock { $0[name] } }

    private func changed(_ name: String) {
        changes.withLock { _ = $0.insert(name) }
        wakeUp.wake()
    }

    // MARK: The thread

    private func run() {
        let turn = WatchTurn(WatchedFiles(records: records), roots, submission)
        while !isEnding.withLock({ $0 }) {
            let changed = changes.withLock { changes in
                defer { changes = [] }
                return changes
            }
            for name in changed { turn.set(name, try? folder(name)) }
            turn.look(at: MonotonicClock.seconds)
            problems.withLock { $0 = turn.problems }
            let numbers = turn.numbers + [wakeUp.number]
            Poll.wait(for: numbers.map { .readable($0) }, seconds: turn.secondsToNextLook)
            wakeUp.reset()
        }
    }
}

extension JobSubmission {
    /// Submits a watch folder's file: once, however often it is asked for.
    func submit(
        _ path: String, _ stamp: FileSettling.Stamp, _ name: String, _ folder: WatchFolder, below directory: String
    )
        throws
    {
        var specification = JobSpecification(
            input: .init(path: path), settings: folder.settings, priority: folder.priority, labels: folder.labels)
        specification.preset = folder.preset
        if let output = folder.output {
            // The tree of the sources is the outputs'.
            let place = directory.isEmpty ? output : "\(output)/\(directory)"
            try files.roots.makeDirectory(place)
            specification.output = .init(directory: place)
        }
        specification.settings = try presets.settings(folder.settings, preset: folder.preset)
        // A second start finds the output, which is no error.
        if specification.settings["overwrite"] == nil { specification.settings["overwrite"] = "skip" }
        // No client can send a key with a line break.
        let key = "watch\n\(name)\n\(path)\n\(stamp.byteCount)\n\(stamp.modifiedAt)"
        _ = try add(specification, key: IdempotencyKey(key: key, digest: "watch"), watchFolder: name)
    }
}
