import VTXTask
import VTXTranscode

/// Thins out progress: people read a few lines a second, and programs no more.
struct ProgressThrottle {
    let interval: Double
    private var last: Progress?

    init(interval: Double) {
        self.interval = interval
    }

    /// Whether to show this progress. The first one and a change of phase are always shown.
    mutating func admits(_ progress: Progress) -> Bool {
        if let last, last.phase == progress.phase, progress.elapsedSeconds - last.elapsedSeconds < interval {
            return false
        }
        last = progress
        return true
    }
}
