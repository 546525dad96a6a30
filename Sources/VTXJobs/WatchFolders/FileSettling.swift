/// When a file is complete: the one who wrote it has closed it, or it was moved here, and its size stays as it is.
package struct FileSettling: Sendable {
    package enum Event: Sendable, Hashable {
        /// Closed after writing, or moved here: complete as far as one can know.
        case closed(String, Stamp)
        /// Seen while it may still be written: found at the start, created, changed.
        case seen(String, Stamp)
        case gone(String)
    }

    /// What changes when a file does.
    package struct Stamp: Sendable, Hashable, Codable {
        package var byteCount: Int64
        /// In nanoseconds since 1970.
        package var modifiedAt: Int64

        package init(byteCount: Int64, modifiedAt: Int64) {
            self.byteCount = byteCount
            self.modifiedAt = modifiedAt
        }
    }

    private struct Candidate {
        var stamp: Stamp
        var dueAt: Double
        var wait: Double
    }

    private var candidates: [String: Candidate] = [:]
    private let seconds: Double
    /// Seconds for a file that was closed: copying programs close a file and open it once more for its times.
    private static let afterClose = 1.0

    /// - Parameter seconds: for which a file that was not closed must stay as it is.
    package init(seconds: Double) { self.seconds = seconds }

    package mutating func handle(_ event: Event, at now: Double) {
        switch event {
        case .closed(let path, let stamp): wait(path, stamp, min(Self.afterClose, seconds), now)
        case .seen(let path, let stamp):
            // Progress of a file that is known is looked at when it is due.
            guard candidates[path] == nil else { return }
            wait(path, stamp, seconds, now)
        case .gone(let path): candidates[path] = nil
        }
    }

    private mutating func wait(_ path: String, _ stamp: Stamp, _ wait: Double, _ now: Double) {
        candidates[path] = Candidate(stamp: stamp, dueAt: now + wait, wait: wait)
    }

    /// When to look next; nil for never.
    package var nextCheck: Double? { candidates.values.map(\.dueAt).min() }

    /// The files that are due and have not changed, in order of their names.
    ///
    /// - Parameter look: what a file is like now; nil where it is gone.
    package mutating func settled(at now: Double, look: (String) -> Stamp?) -> [(path: String, stamp: Stamp)] {
        var settled: [(path: String, stamp: Stamp)] = []
        for (path, candidate) in candidates.sorted(by: { $0.key < $1.key }) where candidate.dueAt <= now {
            let stamp = look(path)
            candidates[path] = nil
            guard let stamp else { continue }
            if stamp == candidate.stamp, stamp.byteCount > 0 {
                settled.append((path, stamp))
            } else if stamp.byteCount > 0 || candidate.stamp != stamp {
                wait(path, stamp, seconds, now)
            }
        }
        return settled
    }
}
