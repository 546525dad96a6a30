import CFFmpeg
import CVTXShims
import VTXMedia
import VTXSystem

/// libav's own messages, one line at a time.
package enum LibraryLog {
    package enum Level: Int32, Sendable, Comparable {
        case error = 16
        case warning = 24
        case info = 32
        case debug = 48

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private static let sink = Locked<(@Sendable (Level, String, String) -> Void)?>(nil)

    /// Sends messages of `level` and worse to `receiver`: level, component, text. It is called from any thread.
    package static func redirect(
        level: Level, to receiver: (@Sendable (_ level: Level, _ component: String, _ text: String) -> Void)?
    ) {
        sink.withLock { $0 = receiver }
        av_log_set_level(receiver == nil ? AV_LOG_QUIET : level.rawValue)
        vtx_log_redirect { level, component, line in
            guard let component, let line else { return }
            let mapped: Level = level <= 16 ? .error : level <= 24 ? .warning : level <= 32 ? .info : .debug
            let receiver = LibraryLog.sink.withLock { $0 }
            receiver?(mapped, String(cString: component), String(cString: line))
        }
    }
}
