import CFFmpeg
import CVTXShims
import VTXMedia
import VTXSystem

/// libav's messages, line by line.
package enum LibraryLog {
    package enum Level: Int32, Sendable, Comparable {
        case error = 16
        case warning = 24
        case info = 32
        case debug = 48

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private static let collectedCapacity = 4096

    /// Collects libav's messages of this thread at `level` or worse while `body` runs. Several threads may collect at
    /// once.
    ///
    /// - Returns: the result of `body`, and the messages, one per line.
    package static func collecting<Value>(
        _ level: Level = .error, _ body: () -> Value
    ) -> (value: Value, lines: [String]) {
        vtx_log_observe()
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: collectedCapacity) { text in
            vtx_log_collect(text.baseAddress, collectedCapacity, level.rawValue)
            let value = body()
            vtx_log_collect(nil, 0, level.rawValue)
            return (value, String(cString: text.baseAddress!).split(separator: "\n").map(String.init))
        }
    }

    /// Counts the errors that a libav object (C: the first argument of `av_log`) reports on this thread while `body` runs.
    static func countingErrors<Value>(
        of object: UnsafeRawPointer, _ body: () -> Value
    ) -> (value: Value, errors: Int) {
        vtx_log_observe()
        _ = vtx_log_count_errors(object)
        let value = body()
        return (value, Int(vtx_log_count_errors(nil)))
    }

    /// Suppresses this thread's messages below `level` while `body` runs.
    package static func limiting<Result>(to level: Level, _ body: () throws -> Result) rethrows -> Result {
        vtx_log_observe()
        vtx_log_limit(level.rawValue)
        defer { vtx_log_limit(.max) }
        return try body()
    }

    private static let sink = Locked<(@Sendable (Level, String, String) -> Void)?>(nil)

    /// Redirects messages at `level` or worse to `receiver`: level, component, text. It is called from any thread.
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

/// The versions of the libraries that run, rather than those at compile time.
package enum FFmpegVersions {
    package static var all: [(name: String, version: String)] {
        linked + (FilterLibrary.version.map { [("libavfilter", text($0))] } ?? [])
    }

    /// Without libavfilter, which this would load. It comes with FFmpeg, whose version is the first.
    package static var linked: [(name: String, version: String)] {
        [
            ("FFmpeg", String(cString: av_version_info())),
            ("libavcodec", text(avcodec_version())),
            ("libavformat", text(avformat_version())),
            ("libavutil", text(avutil_version())),
            ("libswscale", text(swscale_version())),
        ]
    }

    /// 59 in FFmpeg 5, 61 in FFmpeg 7.
    package static var libavcodecMajor: Int { Int(avcodec_version() >> 16) }

    /// Formats a version (C: `AV_VERSION_INT`).
    private static func text(_ packed: UInt32) -> String {
        "\(packed >> 16).\(packed >> 8 & 0xff).\(packed & 0xff)"
    }
}
