import VTXFFmpeg
package import VTXTask

/// What libav* itself says while it works. Silent unless someone listens.
package enum LibraryMessages {
    /// libav* prints to standard error unless it is told otherwise; a library must not. Evaluated once, before use.
    static let areQuietByDefault: Void = LibraryLog.redirect(level: .error, to: nil)

    /// - Parameters:
    ///   - verbose: also informational messages, not just warnings.
    ///   - receiver: gets one line at a time, from any thread; nil for silence.
    package static func send(verbose: Bool, to receiver: (@Sendable (String) -> Void)?) {
        _ = areQuietByDefault
        guard let receiver else { return LibraryLog.redirect(level: .error, to: nil) }
        LibraryLog.redirect(level: verbose ? .info : .warning) { _, component, text in
            receiver("\(component): \(text)")
        }
    }
}

extension LibraryVersion {
    /// The libraries that this process runs with.
    package static var linked: [LibraryVersion] {
        FFmpegVersions.linked.map { LibraryVersion(name: $0.name, version: $0.version) }
    }
}
