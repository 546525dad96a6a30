import Glibc

/// Tells what happens to names in directories (C: `inotify`).
package struct DirectoryEvents: ~Copyable, Sendable {
    package struct Event: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// A file was closed after writing, or was moved here.
            case complete
            /// A file was made or written to.
            case changed
            case newDirectory
            /// The name is there no more.
            case gone
            /// The watched directory itself is there no more.
            case lost
            /// More has happened than the kernel has kept.
            case overflow
        }

        package var kind: Kind
        /// The number that `watch` has given.
        package var directory: Int32
        package var name: String
    }

    private let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let number = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("inotify_init1", errno) }
        descriptor = FileDescriptor(owning: number)
    }

    /// For `Poll`.
    package var number: Int32 { descriptor.number }

    /// - Returns: the directory's number; the same one for the same directory.
    package func watch(_ path: String) throws(SystemError) -> Int32 {
        let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVE_SELF
        let number = inotify_add_watch(
            descriptor.number, path, UInt32(events | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK))
        guard number >= 0 else { throw SystemError("inotify_add_watch '\(path)'", errno) }
        return number
    }

    /// What has happened; does not wait.
    package func read() throws(SystemError) -> [Event] {
        var events: [Event] = []
        while case .bytes(let bytes) = try descriptor.readAvailable() { events += Self.events(in: bytes) }
        return events
    }

    /// inotify(7): numbers of 32 bits for directory, kinds, a cookie and the name's length, then the name.
    private static func events(in bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var start = 0
        while start + 16 <= bytes.count {
            let numbers = bytes.withUnsafeBytes { buffer in
                (0..<4).map { buffer.loadUnaligned(fromByteOffset: start + 4 * $0, as: UInt32.self) }
            }
            let end = min(start + 16 + Int(numbers[3]), bytes.count)
            let name = String(decoding: bytes[(start + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)
            if let kind = kind(Int32(bitPattern: numbers[1])) {
                events.append(Event(kind: kind, directory: Int32(bitPattern: numbers[0]), name: name))
            }
            start = end
        }
        return events
    }

    private static func kind(_ mask: Int32) -> Event.Kind? {
        let has = { (bits: Int32) in mask & bits != 0 }
        if has(IN_Q_OVERFLOW) { return .overflow }
        if has(IN_IGNORED | IN_MOVE_SELF) { return .lost }
        if has(IN_ISDIR) { return has(IN_CREATE | IN_MOVED_TO) ? .newDirectory : nil }
        if has(IN_CLOSE_WRITE | IN_MOVED_TO) { return .complete }
        if has(IN_DELETE | IN_MOVED_FROM) { return .gone }
        return has(IN_CREATE | IN_MODIFY) ? .changed : nil
    }
}
