import Glibc

// MARK: The partial name

extension AtomicFile {
    private static let suffix = ".vtx-partial"

    /// Beside the output, hidden, and not a name that a user would choose. File systems allow 255 bytes.
    package static func partialPath(for output: String) -> String {
        let (directory, name) = FileName.directory(of: output)
        let plain = ".\(name)\(suffix)"
        guard plain.utf8.count > 255 else { return "\(directory)/\(plain)" }
        // FNV-1a: the same name finds the same partial file again.
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(directory)/.\(String(hash, radix: 16))\(suffix)"
    }
}

// MARK: What a killed run has left

extension AtomicFile {
    /// Completes a commit that a kill has cut short: the file has its final name, and the partial one still.
    ///
    /// - Returns: whether there was one.
    package static func finishCommit(of path: String) -> Bool {
        guard let identity = FileIdentity(partialPath(for: path)), identity == FileIdentity(path) else { return false }
        return removeLeftover(at: partialPath(for: path))
    }

    /// Removes a partial file that a killed run has left.
    ///
    /// - Returns: false where there is none, or where a process writes it.
    @discardableResult
    package static func removeLeftover(at partial: String) -> Bool {
        guard let descriptor = lockedLeftover(partial) else { return false }
        return withExtendedLifetime(descriptor) { unlink(partial) == 0 }
    }

    /// The partial files in a directory that killed runs have left, sorted by their paths.
    package static func leftovers(in directory: String) -> [String] {
        Directory.names(in: directory).filter { $0.hasPrefix(".") && $0.hasSuffix(suffix) }.sorted()
            .map { "\(directory)/\($0)" }.filter { lockedLeftover($0) != nil }
    }

    private static func lockedLeftover(_ partial: String) -> FileDescriptor? {
        guard let descriptor = try? FileDescriptor(opening: partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK),
            descriptor.status?.kind == .regular, descriptor.lock(),
            FileIdentity(partial) == descriptor.status?.identity
        else { return nil }
        return descriptor
    }
}
