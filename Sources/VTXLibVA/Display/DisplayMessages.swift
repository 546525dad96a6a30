import CLibVA
import VTXMedia
import VTXSystem

/// What libva, and a driver through it, had to say: kept in a list, so that standard error stays clean.
///
/// libva calls back on the thread that called it. A driver that writes to standard error by itself is not caught.
final class DisplayMessages: Sendable {
    private let collected = Locked<[String]>([])

    /// A driver that complains about each frame must not fill the memory.
    private static let limit = 200

    var all: [String] { collected.withLock { $0 } }

    private func add(_ message: UnsafePointer<CChar>?) {
        guard let message else { return }
        for line in String(cString: message).split(separator: "\n") {
            collected.withLock { if $0.count < Self.limit { $0.append(String(line)) } }
        }
    }

    /// The display must not outlive `self`; it keeps a pointer to it that it does not own.
    func collect(from display: VADisplay) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let callback: VAMessageCallback = { context, message in
            guard let context else { return }
            Unmanaged<DisplayMessages>.fromOpaque(context).takeUnretainedValue().add(message)
        }
        _ = vaSetErrorCallback(display, callback, context)
        _ = vaSetInfoCallback(display, callback, context)
    }
}
