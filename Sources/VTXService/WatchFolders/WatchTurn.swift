import VTXJobs
import VTXSystem

/// The work of the watch folders' thread.
final class WatchTurn {
    private struct Watched {
        var folder: WatchFolder
        /// nil while the folder cannot be watched.
        var tree: WatchedTree?
        var problem: String?
        /// The time of the next scan or retry, in seconds of the monotonic clock.
        var nextScan = 0.0
        /// When to look next for records of files that are gone.
        var nextCleaning = 0.0
    }

    private let files: WatchedFiles
    private let roots: Roots
    private let submission: JobSubmission
    private let goesOn: (_ folder: String) -> Bool
    private var watched: [String: Watched] = [:]

    /// The scan interval, in seconds, for file systems that do not report changes by other hosts.
    private static let scanSeconds = 300.0
    /// The retry interval, in seconds, for a disk that is not mounted yet.
    private static let retrySeconds = 30.0
    private static let cleaningSeconds = 86400.0

    /// - Parameter goesOn: Whether to take another file of a folder: not if the server stops or the folder has changed.
    init(
        _ files: WatchedFiles, _ roots: Roots, _ submission: JobSubmission,
        goesOn: @escaping (_ folder: String) -> Bool
    ) {
        self.goesOn = goesOn
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
            clean(name, now)
        }
    }

    /// Once a day. A file that comes back after its job was removed is a new one.
    private func clean(_ name: String, _ now: Double) {
        guard let found = watched[name], let tree = found.tree, found.nextCleaning <= now else { return }
        watched[name]?.nextCleaning = now + Self.cleaningSeconds
        try? files.forgetGone(below: tree.path, in: name, before: .now + -Job.keptSeconds)
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
            watched[name]?.tree = tree
            watched[name]?.problem = nil
            watched[name]?.nextScan = now + Self.scanSeconds
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
            guard goesOn(name) else { return }
            take(relative, stamp, name, tree, now)
        }
    }

    private func take(
        _ relative: String, _ stamp: FileSettling.Stamp, _ name: String, _ tree: WatchedTree, _ now: Double
    ) {
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
