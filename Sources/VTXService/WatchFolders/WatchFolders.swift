import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The watch folders: a thread that submits their files as jobs.
final class WatchFolders: Sendable {
    private struct State {
        /// The folders that the thread has to reread. It takes no more files of them before.
        var changed: Set<String> = []
        /// Those of them that were removed, and may be there again.
        var removed: Set<String> = []
        var isEnding = false
    }

    private let records: any RecordStore
    private let files: WatchedFiles
    private let roots: Roots
    private let submission: JobSubmission
    private let state = Locked(State())
    /// Held while clients create, change or remove a folder.
    private let editing = Locked(())
    private let problems = Locked<[String: String]>([:])
    private let thread = Locked<Thread?>(nil)
    private let wakeUp: WakeUp

    init(
        _ records: any RecordStore, _ outputs: any OutputRegistry, _ roots: Roots, _ submission: JobSubmission
    ) throws(SystemError) {
        self.records = records
        files = WatchedFiles(records: records, outputs: outputs)
        self.roots = roots
        self.submission = submission
        wakeUp = try WakeUp()
    }

    func start() throws {
        let names = try records.records(RecordCollections.watchFolders).map(\.name)
        state.withLock { $0.changed.formUnion(names) }
        let started = try Thread("vtx-watch") { [self] in run() }
        thread.withLock { $0 = started }
    }

    func stop() {
        state.withLock { $0.isEnding = true }
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
        try submission.checkReplacement(in: folder)
        try editing.withLock { _ in
            // What a removed folder has left, if the thread has not come to it.
            if try records.record(RecordCollections.watchFolders, name) == nil { try files.forget(name, at: .now) }
            try records.put(try JSONValue(encoding: folder), RecordCollections.watchFolders, name)
            changed(name)
        }
    }

    func remove(_ name: String) throws {
        try editing.withLock { _ in
            _ = try folder(name)
            _ = try records.removeRecord(RecordCollections.watchFolders, name)
            state.withLock { _ = $0.removed.insert(name) }
            changed(name)
        }
    }

    /// Returns why a folder is not watched, or not completely; nil for none.
    func problem(_ name: String) -> String? { problems.withLock { $0[name] } }

    private func changed(_ name: String) {
        state.withLock { _ = $0.changed.insert(name) }
        wakeUp.wake()
    }

    // MARK: The thread

    private func run() {
        let turn = WatchTurn(files, roots, submission) { [state] name in
            state.withLock { !$0.isEnding && !$0.changed.contains(name) }
        }
        while !state.withLock({ $0.isEnding }) {
            takeChanges(turn)
            turn.look(at: MonotonicClock.seconds)
            problems.withLock { $0 = turn.problems }
            let numbers = turn.numbers + [wakeUp.number]
            Poll.wait(for: numbers.map { .readable($0) }, seconds: turn.secondsToNextLook)
            wakeUp.reset()
        }
    }

    private func takeChanges(_ turn: WatchTurn) {
        let changes = state.withLock { state in
            defer { (state.changed, state.removed) = ([], []) }
            return state
        }
        for name in changes.removed {
            do { try files.forget(name, at: .now) } catch { Log.warning("watch folder '\(name)': \(error)") }
        }
        for name in changes.changed { turn.set(name, try? folder(name)) }
    }
}

extension JobSubmission {
    /// Submits a file of a watch folder, once even if called repeatedly.
    ///
    /// - Parameter last: When the job of the path's last version was submitted, or an earlier folder was removed.
    /// - Returns: when its job was submitted.
    func submit(
        _ path: String, _ stamp: FileSettling.Stamp, _ name: String, _ folder: WatchFolder, below directory: String,
        after last: Timestamp?
    ) throws -> Timestamp {
        let specification = try specification(of: path, in: folder, below: directory)
        try files.checkReplacement(specification)
        // No client can send a key with a line break.
        let key = "watch\n\(name)\n\(path)\n\(stamp.byteCount)\n\(stamp.modifiedAt)"
        let add = { (key: String) in
            let key = IdempotencyKey(key: key, digest: "watch")
            return try self.add(specification, key: key, watchFolder: name, rule: folder.skip)
        }
        var (job, isNew) = try add(key)
        var number = 0
        // An earlier version that has come back needs another job, and so does a file of another folder with this name.
        while !isNew, let last, job.createdAt < last {
            number += 1
            (job, isNew) = try add("\(key)\n\(number)")
        }
        return job.createdAt
    }
}

extension JobSubmission {
    func checkReplacement(in folder: WatchFolder) throws {
        try files.checkReplacement(try specification(of: folder.path, in: folder))
    }

    /// Returns the specification of a watch folder's file.
    fileprivate func specification(
        of path: String, in folder: WatchFolder, below directory: String = ""
    ) throws -> JobSpecification {
        var specification = JobSpecification(
            input: .init(path: path), settings: folder.settings, priority: folder.priority, labels: folder.labels)
        specification.preset = folder.preset
        if let output = folder.output {
            // The tree of the sources is the outputs'.
            specification.output = .init(directory: directory.isEmpty ? output : "\(output)/\(directory)")
        }
        specification.settings = try presets.settings(folder.settings, preset: folder.preset)
        // Files of other programs are left alone, and are no error.
        if specification.settings["overwrite"] == nil, !specification.replacesSource {
            specification.settings["overwrite"] = "skip"
        }
        return specification
    }
}
