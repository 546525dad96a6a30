import VTXJobs
import VTXSystem

/// What the thread of the watch folders does, one look after the other.
final class WatchTurn {
    private struct Watched {
        var folder: WatchFolder
        /// nil while the folder cannot be watched.
        var tree: WatchedTree?
        var problem: String?
        /// When to scan, or to try again, in seconds of the monotonic clock.
        var nextScan = 0.0
    }

    private let files: WatchedFiles
    private let roots: Roots
    private let submission: JobSubmission
    private var watched: [String: Watched] = [:]

    /// For file systems that do not tell what other hosts do.
    private static let scanSeconds = 300.0
    /// A disk that is not there may come.
    private static let retrySeconds = 30.0

    init(_ files: WatchedFiles, _ roots: Roots, _ submission: JobSubmission) {
        self.files = files
        self.roots = roots
        self.submission = submission
    }

    var numbers: [Int32] { watched.values.compactMap { $0.tree?.number } }

    var problems: [String: String] { watched.compactMapValues { $0.problem ?? $0.tree?.problem } }

    /// nil for any time.
    var secondsToNextLook: Double? {
        let times = watched.values.flatMap { [$0.nextScan, $0.tree?.nextCheck].compactMap(\.self) }
        return times.min().map { max(0, $0 - MonotonicClock.seconds) }
    }

    /// - Parameter folder: nil for one that was removed.
    func set(_ name: String, _ folder: WatchFolder?) {
        watched[name] = folder.flatMap { $0.enabled ? Watched(folder: $0) : nil }
    }

    func look(at now: Double) {
        for name in watched.keys.sorted() {
            watched[name]?.tree?.take(at: now)
            if watched[name]?.tree?.isLost == true {
                lose(name, "'\(watched[name]?.folder.path ?? "")' is not there", now)
            }
            if let due = watched[name]?.nextScan, due <= now { scan(name, now) }
            takeSettled(name, now)
        }
    }

    private func scan(_ name: String, _ now: Double) {
        guard let found = watched[name] else { return }
        if let tree = found.tree {
            tree.scan(at: now)
            watched[name]?.nextScan = now + Self.scanSeconds
            return
        }
        do {
            let path = try roots.directory(found.folder.path).realPath()
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
                    try submission.submit(path, stamp, name, tree.folder, below: directory)
                    try files.add(path, stamp, in: name)
                }
                tree.note(relative, stamp)
            } catch {
                // The next scan finds it again.
                watched[name]?.problem = "'\(path)' was not taken: \((error as? Problem)?.detail ?? "\(error)")"
                Log.warning("watch folder '\(name)': \(watched[name]?.problem ?? "")")
            }
        }
    }
}
