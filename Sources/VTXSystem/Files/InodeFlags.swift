import Glibc

/// The flags by which a file system protects a file even from root (C: `chattr`).
package struct InodeFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let immutable = InodeFlags(rawValue: 0x10)
    package static let appendOnly = InodeFlags(rawValue: 0x20)

    /// `FS_IOC_GETFLAGS`, which linux/fs.h computes with a macro.
    private static let request: UInt = 0x8008_6601

    /// - Returns: nil if the file cannot be opened, or its file system has no flags.
    package init?(_ path: String) {
        guard let file = try? FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK) else { return nil }
        var flags: UInt = 0
        guard ioctl(file.number, Self.request, &flags) == 0 else { return nil }
        self.init(rawValue: UInt32(truncatingIfNeeded: flags))
    }
}
