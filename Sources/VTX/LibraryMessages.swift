import VTXFFmpeg
package import VTXTask

/// The log messages of libav*. Silent by default.
package enum LibraryMessages {
    /// Silences libav*, which prints to standard error by default; a library must not. Evaluated once, before use.
    static let areQuietByDefault: Void = LibraryLog.redirect(level: .error, to: nil)

    /// - Parameters:
    ///   - verbose: Whether to include informational messages besides warnings.
    ///   - receiver: Called with one line at a time, from any thread; nil for silence.
    package static func send(verbose: Bool, to receiver: (@Sendable (String) -> Void)?) {
        _ = areQuietByDefault
        guard let receiver else { return LibraryLog.redirect(level: .error, to: nil) }
        LibraryLog.redirect(level: verbose ? .info : .warning) { _, component, text in
            receiver("\(component): \(text)")
        }
    }
}

extension LibraryVersion {
    /// The versions of the linked libraries.
    package static var linked: [LibraryVersion] {
        FFmpegVersions.linked.map { LibraryVersion(name: $0.name, version: $0.version) }
    }
}
