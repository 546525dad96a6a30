import Glibc

// MARK: The partial name

extension AtomicFile {
    package static let partialSuffix = ".vtx-partial"

    /// Returns a hidden path next to the output that users would not choose. File systems allow 255 bytes.
    package static func partialPath(for output: String) -> String {
        let (directory, name) = FileName.directory(of: output)
        let plain = ".\(name)\(partialSuffix)"
        guard plain.utf8.count > 255 else { return "\(directory)/\(plain)" }
        // FNV-1a: the same name always maps to the same partial file.
        let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(directory)/.\(String(hash, radix: 16))\(partialSuffix)"
    }
}

// MARK: Leftovers of a killed run

extension AtomicFile {
    /// Completes an interrupted commit: the file has both its final and its partial name.
    ///
    /// - Returns: whether there was one.
    package static func finishCommit(of path: String) -> Bool {
        guard let identity = FileIdentity(partialPath(for: path)), identity == FileIdentity(path) else { return false }
        return removeLeftover(at: partialPath(for: path))
    }

    /// - Throws: if the source is the partial file or in the partial directory, which would be removed.
    static func checkDistinct(source: String, leftover partial: String) throws(AtomicFileError) {
        try checkDistinct(source: source, output: partial)
        try AtomicDirectory.checkDistinct(source: source, output: partial)
    }

    /// Removes a partial file of a killed run.
    ///
    /// - Returns: false if there is none, or a process is writing it.
    @discardableResult
    package static func removeLeftover(at partial: String) -> Bool {
        guard let descriptor = lockedLeftover(partial) else { return false }
        return withExtendedLifetime(descriptor) { unlink(partial) == 0 }
    }

    /// Returns the partial files and directories of killed runs in a directory, sorted by path.
    package static func leftovers(in directory: String) -> [String] {
        Directory.names(in: directory).filter { $0.hasPrefix(".") && $0.hasSuffix(partialSuffix) }.sorted()
            .map { "\(directory)/\($0)" }
            .filter { lockedLeftover($0) != nil || AtomicDirectory.lockedLeftover($0) != nil }
    }

    private static func lockedLeftover(_ partial: String) -> FileDescriptor? {
        guard let descriptor = try? FileDescriptor(opening: partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK),
            descriptor.status?.kind == .regular, descriptor.lock(),
            FileIdentity(partial) == descriptor.status?.identity
        else { return nil }
        return descriptor
    }
}
