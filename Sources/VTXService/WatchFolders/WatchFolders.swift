import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The watch folders: a thread that submits their files as jobs.
final class WatchFolders: Sendable {
    private let records: any RecordStore
    private let outputs: any OutputRegistry
    private let roots: Roots
    private let submission: JobSubmission
    /// The folders that the thread has to reread.
    private let changes = Locked<Set<String>>([])
    private let problems = Locked<[String: String]>([:])
    private let isEnding = Locked(false)
    private let thread = Locked<Thread?>(nil)
    private let wakeUp: WakeUp

    init(
        _ records: any RecordStore, _ outputs: any OutputRegistry, _ roots: Roots, _ submission: JobSubmission
    ) throws(SystemError) {
        (self.records, self.outputs) = (records, outputs)
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
        try submission.checkReplacement(in: folder)
        try records.put(try JSONValue(encoding: folder), RecordCollections.watchFolders, name)
        changed(name)
    }

    func remove(_ name: String) throws {
        _ = try folder(name)
        _ = try records.removeRecord(RecordCollections.watchFolders, name)
        changed(name)
    }

    /// Returns why a folder is not watched, or not completely; nil for none.
    func problem(_ name: String) -> String? { problems.withLock { $0[name] } }

    private func changed(_ name: String) {
        changes.withLock { _ = $0.insert(name) }
        wakeUp.wake()
    }

    // MARK: The thread

    private func run() {
        let turn = WatchTurn(WatchedFiles(records: records, outputs: outputs), roots, submission)
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
    /// Submits a file of a watch folder, once even if called repeatedly.
    ///
    /// - Parameter last: When the job of the path's last version was submitted.
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
            try self.add(specification, key: IdempotencyKey(key: key, digest: "watch"), watchFolder: name, rule: folder.skip)
        }
        let (job, isNew) = try add(key)
        // An earlier version that has come back needs another job.
        guard !isNew, let last, job.createdAt < last else { return job.createdAt }
        return try add("\(key)\n\(last.milliseconds)").job.createdAt
    }
}

extension JobSubmission {
    fileprivate func checkReplacement(in folder: WatchFolder) throws {
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

/// The work of the watch folders' thread.
final class WatchTurn {
    private struct Watched {
        var folder: WatchFolder
        /// nil while the folder cannot be watched.
        var tree: WatchedTree?
        var problem: String?
        /// The time of the next scan or retry, in seconds of the monotonic clock.
        var nextScan = 0.0
    }

    private let files: WatchedFiles
    private let roots: Roots
    private let submission: JobSubmission
    private var watched: [String: Watched] = [:]

    /// The scan interval, in seconds, for file systems that do not report changes by other hosts.
    private static let scanSeconds = 300.0
    /// The retry interval, in seconds, for a disk that is not mounted yet.
    private static let retrySeconds = 30.0

    init(_ files: WatchedFiles, _ roots: Roots, _ submission: JobSubmission) {
        self.files = files
        self.roots = roots
        self.submission = submission
    }

    var numbers: [Int32] { watched.values.compactMap { $0.tree?.number } }

    var problems: [String: String] { watched.compactMapValues { $0.problem ?? $0.tree?.problem } }

    /// nil for no timeout.
    var secondsToNextLook: Double? {
        let times = watched.values.flatMap { [$0.nextScan, $0.tree?.nextCheck].compactMap(\.self) }
        return times.min().map { max(0, $0 - MonotonicClock.seconds) }
    }

    /// - Parameter folder: nil if it was removed.
    func set(_ name: String, _ folder: WatchFolder?) {
        watched[name] = folder.flatMap { $0.enabled ? Watched(folder: $0) : nil }
    }

    func look(at now: Double) {
        for name in watched.keys.sorted() {
            watched[name]?.tree?.take(at: now)
            if let due = watched[name]?.nextScan, due <= now { scan(name, now) }
            // It may go while it is scanned.
            if watched[name]?.tree?.isLost == true {
                lose(name, "'\(watched[name]?.folder.path ?? "")' does not exist", now)
            }
            takeSettled(name, now)
        }
    }

    private func scan(_ name: String, _ now: Double) {
        guard let found = watched[name] else { return }
        if let tree = found.tree {
            tree.scan(at: now)
            watched[name]?.problem = nil
            watched[name]?.nextScan = now + Self.scanSeconds
            return
        }
        do {
            let path = try roots.directory(found.folder.path).realPath()
            // The folder may be older than the options of this server.
            try submission.checkReplacement(in: found.folder)
            let tree = try WatchedTree(found.folder, path, at: now)
            watched[name] = Watched(folder: found.folder, tree: tree, nextScan: now + Self.scanSeconds)
        } catch { lose(name, (error as? Problem)?.detail ?? "\(error)", now) }
    }

    private func lose(_ name: String, _ problem: String, _ now: Double) {
        if watched[name]?.problem != problem { Log.warning("watch folder '\(name)': \(problem)") }
        watched[name]?.tree = nil
        watched[name]?.problem = problem
        watched[name]?.nextScan = now + Self.retrySeconds
    }

    private func takeSettled(_ name: String, _ now: Double) {
        guard let tree = watched[name]?.tree else { return }
        for (relative, stamp) in tree.settled(at: now) {
            let path = tree.absolute(relative)
            do {
                if try !files.has(path, stamp, in: name) {
                    let directory = relative.contains("/") ? FileName.directory(of: relative).directory : ""
                    let last = try files.lastSubmission(path, in: name)
                    let time = try submission.submit(path, stamp, name, tree.folder, below: directory, after: last)
                    try files.add(path, stamp, in: name, submitted: time)
                }
                tree.note(relative, stamp)
            } catch {
                // The next scan finds it again.
                let next = watched[name]?.nextScan ?? now
                watched[name]?.nextScan = min(next, now + Self.retrySeconds)
                watched[name]?.problem = "'\(path)' was not taken: \((error as? Problem)?.detail ?? "\(error)")"
                Log.warning("watch folder '\(name)': \(watched[name]?.problem ?? "")")
            }
        }
    }
}
