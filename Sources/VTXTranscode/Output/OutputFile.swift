import Glibc

/// The output under its two names: written under a name beside the final one, moved there when it is whole.
///
/// Life: `reserve`, then the muxer writes to `partialPath`, then `commit` or `discard`. A process that was killed
/// leaves a partial file behind; the next one for the same output replaces it.
final class OutputFile: Sendable {
    let finalPath: String
    let partialPath: String
    private let overwrites: Bool
    /// Holds the lock on the partial file; other processes that want the same output see it.
    private let descriptor: Int32

    private init(finalPath: String, partialPath: String, overwrites: Bool, descriptor: Int32) {
        self.finalPath = finalPath
        self.partialPath = partialPath
        self.overwrites = overwrites
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Checks that the output can be written, and takes its partial name.
    ///
    /// - Parameter input: a file that must not be touched, whatever its name is.
    static func reserve(_ path: String, overwrites: Bool, input: String) throws(TranscodeError) -> OutputFile {
        let directory = FileName.directory(of: path).directory
        try checkPlace(path, directory)
        let partial = PartialName.path(for: path)
        try checkDistinct(input: input, output: partial)
        // Someone else's link under this name must not lead the output elsewhere.
        let descriptor = Glibc.open(partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure("'\(path)' cannot be written: '\(partial)'", errno) }
        do {
            try claim(descriptor, partial, path)
        } catch {
            close(descriptor)
            throw error
        }
        return OutputFile(finalPath: path, partialPath: partial, overwrites: overwrites, descriptor: descriptor)
    }

    /// Makes sure that the opened file is ours alone, and empties it.
    private static func claim(_ descriptor: Int32, _ partial: String, _ path: String) throws(TranscodeError) {
        var opened = stat()
        guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG, opened.st_nlink == 1,
            opened.st_uid == geteuid()
        else {
            throw TranscodeError(
                .output, "output.notAFile", "'\(partial)' is in the way: it is not a file that vtx has left behind",
                hint: "vtx writes there before it gives '\(path)' its name")
        }
        // The other vtx may have renamed the file between our open and our lock: then it is not ours to truncate.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, leads(partial, to: opened) else {
            throw TranscodeError(.output, "output.busy", "another vtx is writing '\(path)'")
        }
        guard ftruncate(descriptor, 0) == 0 else { throw failure("'\(path)' cannot be written", errno) }
    }

    /// Leads to the opened file itself, whatever its name has become to mean.
    var openedPath: String { "/proc/self/fd/\(descriptor)" }

    /// For what no muxer writes.
    func write(_ text: String) throws(TranscodeError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure("'\(finalPath)' cannot be written", errno) }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Writes the file through to the disk.
    func synchronize() throws(TranscodeError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("'\(finalPath)' cannot be written", errno) }
    }

    /// Gives the file its final name.
    func commit() throws(TranscodeError) {
        if overwrites ? rename(partialPath, finalPath) != 0 : !moveWithoutReplacing() {
            let error = errno
            discard()
            throw Self.failure("'\(finalPath)' cannot be put in place", error)
        }
        synchronizeDirectory()
    }

    /// A link fails where the name was taken in the meantime; a rename would replace the file there.
    private func moveWithoutReplacing() -> Bool {
        if link(partialPath, finalPath) == 0 { return unlink(partialPath) == 0 }
        guard errno != EEXIST else { return false }
        // File systems without links: the name was free when the work began, and is looked at once more.
        guard !Self.exists(finalPath) else {
            errno = EEXIST
            return false
        }
        return rename(partialPath, finalPath) == 0
    }

    /// Removes what was written.
    func discard() { unlink(partialPath) }

    /// The new name itself must survive a power cut too.
    private func synchronizeDirectory() {
        let directory = Glibc.open(FileName.directory(of: finalPath).directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    private static func leads(_ path: String, to opened: stat) -> Bool {
        var named = stat()
        return lstat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    static func failure(_ what: String, _ error: Int32) -> TranscodeError {
        let code =
            switch error {
            case ENOSPC, EDQUOT, EFBIG: "output.noSpace"
            case EACCES, EPERM, EROFS: "output.permission"
            case EEXIST: "output.exists"
            case ENOENT, ENOTDIR: "output.notFound"
            case ENAMETOOLONG: "output.nameTooLong"
            default: "output.write"
            }
        return TranscodeError(.output, code, "\(what): \(String(cString: strerror(error)))")
    }
}

extension OutputFile {
    /// What is at a path now.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// 0 for a file that is not there.
    static func byteCount(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// - Throws: where both names lead to the same file, by whatever path or link.
    static func checkDistinct(input: String, output: String) throws(TranscodeError) {
        var source = stat()
        var target = stat()
        guard stat(input, &source) == 0, stat(output, &target) == 0, source.st_dev == target.st_dev,
            source.st_ino == target.st_ino
        else { return }
        throw TranscodeError(
            .usage, "output.isInput", "'\(output)' is the input itself; vtx never writes over its source",
            hint: "name another output, or none")
    }

    private static func checkPlace(_ path: String, _ directory: String) throws(TranscodeError) {
        var status = stat()
        guard stat(directory, &status) == 0 else {
            throw failure("the directory '\(directory)' of the output cannot be used", errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw failure("'\(directory)' of the output '\(path)'", ENOTDIR)
        }
        guard stat(path, &status) == 0 else {
            // The partial name is cut short and fits; this one would fail when the work is done.
            if errno == ENAMETOOLONG { throw failure("the output '\(path)' cannot be written", ENAMETOOLONG) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TranscodeError(.output, "output.notAFile", "the output '\(path)' exists and is not a regular file")
        }
    }
}
