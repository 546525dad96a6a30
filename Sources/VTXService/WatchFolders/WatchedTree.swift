import Glibc
import VTXJobs
import VTXSystem

/// An active watch folder: detects which of its files are complete. Used by one thread.
final class WatchedTree {
    let folder: WatchFolder
    /// Without symbolic links.
    let path: String
    private let events: DirectoryEvents
    private var settling: FileSettling
    /// The directories below `path`, by inotify's descriptors.
    private var directories: [Int32: String] = [:]
    /// The files examined, with their state at that time.
    private var known: [String: FileSettling.Stamp] = [:]
    /// Whether the folder itself has been removed.
    private(set) var isLost = false
    /// Why some subdirectory cannot be watched. Periodic scans continue.
    private(set) var problem: String?

    init(_ folder: WatchFolder, _ path: String, at now: Double) throws(SystemError) {
        self.folder = folder
        self.path = path
        events = try DirectoryEvents()
        settling = FileSettling(seconds: folder.settleSeconds)
        scan(at: now)
    }

    /// For `Poll`.
    var number: Int32 { events.number }
    var nextCheck: Double? { settling.nextCheck }

    /// Scans everything: at the start, after lost events, and for file systems that report none.
    func scan(at now: Double) {
        problem = nil
        scan("", at: now)
    }

    private func scan(_ directory: String, at now: Double) {
        watch(directory)
        for name in Directory.names(in: absolute(directory)) where !name.hasPrefix(".") {
            let relative = directory.isEmpty ? name : "\(directory)/\(name)"
            switch FileStatus(absolute(relative), followsLinks: false)?.kind {
            case .directory where folder.recursive: scan(relative, at: now)
            case .regular: see(relative, isComplete: false, at: now)
            default: break
            }
        }
    }

    private func watch(_ directory: String) {
        do throws(SystemError) { directories[try events.watch(absolute(directory))] = directory } catch {
            if directory.isEmpty, [ENOENT, ENOTDIR].contains(error.code) { isLost = true }
            // The directory may have been removed meanwhile.
            guard error.code != ENOENT else { return }
            let limit = "the system's limit of watches is reached (fs.inotify.max_user_watches)"
            problem = error.code == ENOSPC ? limit : "'\(absolute(directory))' cannot be watched: \(error.reason)"
        }
    }

    /// Reads the kernel's events.
    func take(at now: Double) {
        guard let reported = try? events.read() else { return }
        if reported.contains(where: { $0.kind == .overflow }) { return scan(at: now) }
        reported.forEach { take($0, at: now) }
    }

    private func take(_ event: DirectoryEvents.Event, at now: Double) {
        guard let directory = directories[event.directory] else { return }
        let relative = directory.isEmpty ? event.name : "\(directory)/\(event.name)"
        switch event.kind {
        case .complete: see(relative, isComplete: true, at: now)
        case .changed: see(relative, isComplete: false, at: now)
        case .newDirectory: if folder.recursive, !event.name.hasPrefix(".") { scan(relative, at: now) }
        case .gone:
            known[relative] = nil
            settling.handle(.gone(relative), at: now)
        case .lost:
            directories[event.directory] = nil
            if directory.isEmpty { isLost = true }
        case .overflow: break
        }
    }

    private func see(_ relative: String, isComplete: Bool, at now: Double) {
        guard folder.takes(relative), let stamp = stamp(relative), known[relative] != stamp else { return }
        settling.handle(isComplete ? .closed(relative, stamp) : .seen(relative, stamp), at: now)
    }

    private func stamp(_ relative: String) -> FileSettling.Stamp? {
        guard let status = FileStatus(absolute(relative), followsLinks: false), status.kind == .regular else {
            return nil
        }
        return .init(byteCount: status.byteCount, modifiedAt: status.modificationTime)
    }

    /// Returns complete files that have not been returned before.
    func settled(at now: Double) -> [(path: String, stamp: FileSettling.Stamp)] {
        settling.settled(at: now) { stamp($0) }.filter { known[$0.path] != $0.stamp }
    }

    /// Notes an examined file, which is returned again if it changes.
    func note(_ relative: String, _ stamp: FileSettling.Stamp) { known[relative] = stamp }

    func absolute(_ relative: String) -> String { relative.isEmpty ? path : "\(path)/\(relative)" }
}
