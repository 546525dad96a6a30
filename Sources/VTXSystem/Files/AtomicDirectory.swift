import CSystem
import Glibc

/// A directory that gets its name only when all its files are complete. They are written to a directory next to it,
/// which is renamed at the end.
///
/// Life cycle: `reserve`, writing files to `partialPath`, then `commit` or `discard`. The leftovers of a killed process
/// are removed by the next one for the same output.
package final class AtomicDirectory: Sendable {
    package let finalPath: String
    package let partialPath: String
    private let replaces: Bool
    /// Holds the lock, which is visible to other processes that want the same output.
    private let descriptor: FileDescriptor

    /// The contents that identify a directory that may be replaced.
    package struct Contents: Sendable {
        /// At least one of these files exists.
        package var marks: Set<String>
        /// All files have one of these extensions.
        package var extensions: Set<String>

        package init(marks: Set<String>, extensions: Set<String>) {
            (self.marks, self.extensions) = (marks, extensions)
        }

        fileprivate func admit(_ path: String, needsMark: Bool) -> Bool {
            let names = Directory.names(in: path)
            // A directory that is not complete may contain files that are not, either.
            let extensions = needsMark ? extensions : extensions.union(["vtx-partial"])
            guard !needsMark || !marks.isDisjoint(with: names) else { return false }
            return names.allSatisfy { name in
                extensions.contains(FileName.split(name).pathExtension)
                    && FileStatus("\(path)/\(name)", followsLinks: false)?.kind == .regular
            }
        }
    }

    private init(_ path: String, _ partial: String, replaces: Bool, _ descriptor: consuming FileDescriptor) {
        (finalPath, partialPath, self.replaces) = (path, partial, replaces)
        self.descriptor = descriptor
    }

    /// - Returns: false if the directory exists and must not be changed.
    package static func isWanted(
        _ path: String, _ policy: OverwritePolicy, _ contents: Contents
    ) throws(AtomicFileError) -> Bool {
        guard let status = FileStatus(path, followsLinks: false) else { return true }
        guard status.kind == .directory else { throw .exists(path: path) }
        try checkName(path)
        if Directory.names(in: path).isEmpty { return true }
        switch policy {
        case .skip: return false
        case .refuse: throw .exists(path: path)
        case .replace:
            guard contents.admit(path, needsMark: true) else { throw .foreignDirectory(path: path) }
            return true
        }
    }

    /// Checks that the output can be written, and creates the partial directory.
    ///
    /// - Parameters:
    ///   - source: A file that must not be in the output; nil for none.
    ///   - timeout: How long to wait for a process that writes the output but has lost its owner.
    package static func reserve(
        _ path: String, replaces: Bool, source: String?, _ contents: Contents, timeout: LockTimeout = .none
    ) throws(AtomicFileError) -> AtomicDirectory {
        try AtomicFile.checkDirectory(of: path)
        try checkName(path)
        if let source { try checkDistinct(source: source, output: path) }
        let partial = AtomicFile.partialPath(for: path)
        if let source { try AtomicFile.checkDistinct(source: source, leftover: partial) }
        // The output of the killed run was a file.
        if FileStatus(partial, followsLinks: false)?.owner == geteuid() { AtomicFile.removeLeftover(at: partial) }
        let descriptor = try timeout.wait { () throws(AtomicFileError) in try claim(partial, path, contents) }
        guard let descriptor else { throw .busy(path: path) }
        for name in Directory.names(in: partial) { unlink("\(partial)/\(name)") }
        removeReplaced(by: path)
        return AtomicDirectory(path, partial, replaces: replaces, descriptor)
    }

    /// Creates the partial directory if there is none, and locks it.
    ///
    /// - Returns: nil if another process has locked it, and may soon exit.
    private static func claim(
        _ partial: String, _ path: String, _ contents: Contents
    ) throws(AtomicFileError) -> FileDescriptor? {
        guard mkdir(partial, 0o777) == 0 || errno == EEXIST else {
            throw .system(path: path, SystemError("mkdir", errno))
        }
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try FileDescriptor(opening: partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            // Its writer has renamed or removed it meanwhile.
            if error.code == ENOENT { return nil }
            throw .notPartialFile(path: path, partial: partial)
        }
        guard descriptor.status?.owner == geteuid(), contents.admit(partial, needsMark: false) else {
            throw .notPartialFile(path: path, partial: partial)
        }
        if descriptor.lock(), FileIdentity(partial) == descriptor.status?.identity { return descriptor }
        if descriptor.isOwned { throw .busy(path: path) }
        return nil
    }

    /// Returns the path of a file before the directory is renamed.
    package func path(of name: String) -> String { "\(partialPath)/\(name)" }

    /// The size of all its files, under its current name.
    package var byteCount: Int64 {
        Directory.byteCount(FileIdentity(finalPath) == descriptor.status?.identity ? finalPath : partialPath)
    }

    /// Writes a small file into the directory.
    package func write(_ text: String, to name: String) throws(AtomicFileError) {
        try write(Array(text.utf8), to: name)
    }

    package func write(_ bytes: [UInt8], to name: String) throws(AtomicFileError) {
        do throws(SystemError) {
            try FileDescriptor(opening: path(of: name), O_WRONLY | O_CREAT | O_EXCL).writeAll(bytes)
        } catch { throw .system(path: "\(finalPath)/\(name)", error) }
    }

    /// Writes all files to the disk.
    package func synchronize() throws(AtomicFileError) {
        do throws(SystemError) {
            for name in Directory.names(in: partialPath) { try FileDescriptor(opening: path(of: name)).synchronize() }
            try descriptor.synchronize()
        } catch { throw .system(path: finalPath, error) }
    }

    /// Renames the directory. An existing empty directory is replaced; another one only if allowed, and it is removed
    /// after the rename.
    ///
    /// - Parameter whenInPlace: Called when the name is on the disk, and nothing else is left to do.
    package func commit(
        whenInPlace: () throws(AtomicFileError) -> Void = {}
    ) throws(AtomicFileError) {
        let isReplacing = replaces && !Directory.names(in: finalPath).isEmpty
        let ((parent, name), partial) = (FileName.directory(of: finalPath), FileName.directory(of: partialPath).name)
        let replaced = Self.replacedPath(for: finalPath)
        do throws(SystemError) {
            try OpenDirectory(parent).renameDirectory(
                partial, to: name, aside: isReplacing ? FileName.directory(of: replaced).name : nil)
        } catch {
            discard()
            throw [EEXIST, ENOTEMPTY].contains(error.code) ? .exists(path: finalPath) : .system(path: finalPath, error)
        }
        // Ignored: not all file systems support it.
        try? Directory.synchronize(parent)
        Directory.removeTree(replaced)
        try whenInPlace()
    }

    /// The name of a directory that is replaced, until it is removed.
    private static func replacedPath(for path: String) -> String { AtomicFile.partialPath(for: "\(path).replaced") }
    fileprivate static let replacedSuffix = ".replaced" + AtomicFile.partialSuffix

    /// Removes the partial directory.
    package func discard() {
        if FileIdentity(partialPath) == descriptor.status?.identity { Directory.removeTree(partialPath) }
    }
}

// MARK: Checks

extension AtomicDirectory {
    /// - Throws: if the source is in the directory.
    package static func checkDistinct(source: String, output: String) throws(AtomicFileError) {
        let directory = FileStatus(FileName.directory(of: source).directory)
        guard let directory, directory.identity == FileStatus(output)?.identity else { return }
        throw .containsSource(path: output)
    }

    /// - Throws: if no directory can be renamed to the path: it is `.`, or where a file system is mounted.
    private static func checkName(_ path: String) throws(AtomicFileError) {
        guard !["", ".", ".."].contains(FileName.directory(of: path).name), !system_is_mount_point(path) else {
            throw .fixedDirectory(path: path)
        }
    }
}

// MARK: Leftovers of a killed run

extension AtomicDirectory {
    /// Removes the directory that a killed run has replaced. Without its successor it may be the only one.
    package static func removeReplaced(by path: String) {
        if FileStatus(path, followsLinks: false) != nil { Directory.removeTree(replacedPath(for: path)) }
    }

    /// Removes the partial file or directory of a killed run, unless a process is writing it.
    package static func removeLeftoverOfAnyKind(at path: String) {
        if !AtomicFile.removeLeftover(at: path) { removeLeftover(at: path) }
    }

    /// Removes the partial directory of a killed run, unless a process is writing it.
    ///
    /// - Returns: false if there is none, or it must not be removed.
    @discardableResult
    package static func removeLeftover(at partial: String) -> Bool {
        guard let descriptor = lockedLeftover(partial) else { return false }
        withExtendedLifetime(descriptor) { Directory.removeTree(partial) }
        return true
    }

    /// - Returns: nil for a directory with anything but files, and for one that a killed run was replacing: it may be
    ///   the only one.
    static func lockedLeftover(_ partial: String) -> FileDescriptor? {
        guard !partial.hasSuffix(replacedSuffix) else { return nil }
        let isFile = { (name: String) in FileStatus("\(partial)/\(name)", followsLinks: false)?.kind == .regular }
        guard let descriptor = try? FileDescriptor(opening: partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            descriptor.status?.owner == geteuid(), Directory.names(in: partial).allSatisfy(isFile), descriptor.lock(),
            FileIdentity(partial) == descriptor.status?.identity
        else { return nil }
        return descriptor
    }
}
