import Glibc

/// The replacement of a source by its output, in the same directory. The source stays unchanged until the rename that
/// replaces it or, if the output has another name, until the output is on disk under its name.
package struct SourceReplacement: Sendable {
    /// The path of the source itself.
    package let source: String
    private let output: String
    private let state: SourceState
    private let status: FileStatus

    package var isRename: Bool { source != output }
    /// The owner of the source. A file left by an earlier run may belong to this user by now.
    package var owner: UInt32 { status.owner }

    /// Checks everything that can be checked before the work.
    ///
    /// - Parameters:
    ///   - input: The source as the user named it, perhaps by a symbolic link.
    ///   - source: The path of the source itself.
    ///   - state: The state that the source must have; nil for the one that it has now.
    ///   - isInPlace: Whether the output has its name already, and only the source is left to be removed.
    package init(
        _ input: String, at source: String, by output: String, expecting state: SourceState? = nil,
        isInPlace: Bool = false
    ) throws(SourceReplacementError) {
        (self.source, self.output) = (source, output)
        guard let status = FileStatus(source), let now = try? SourceState(of: source) else {
            throw .refused("it cannot be read: \(SystemError("open", errno).reason)")
        }
        (self.status, self.state) = (status, state ?? now)
        try checkNames(input, isInPlace)
        try checkRights()
        if state != nil { try checkUnchanged() }
    }

    private func checkNames(_ input: String, _ isInPlace: Bool) throws(SourceReplacementError) {
        guard status.linkCount == 1 else {
            throw .refused("it has \(status.linkCount) names (hard links), and the others would keep the old file")
        }
        guard isRename else { return }
        if FileStatus(input, followsLinks: false)?.kind == .symbolicLink {
            throw .refused(
                "it is a symbolic link, which would dangle: the output is '\(output)'",
                hint: "name '\(source)' itself")
        }
        guard isInPlace || !AtomicFile.exists(output) else { throw .outputExists }
    }

    private func checkRights() throws(SourceReplacementError) {
        let directory = FileName.directory(of: source).directory
        let remedy = "`chattr -ia` removes that, for root"
        if let protection = InodeFlags(source)?.protection { throw .refused("it is \(protection)", hint: remedy) }
        if let protection = InodeFlags(directory)?.protection {
            throw .refused("its directory is \(protection)", hint: remedy)
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .refused("its directory cannot be written: \(SystemError("access", errno).reason)")
        }
        try checkOwner()
    }

    /// Checks that a sticky directory allows it: there only owners may rename or remove files.
    private func checkOwner() throws(SourceReplacementError) {
        let user = geteuid()
        guard let directory = FileStatus(FileName.directory(of: source).directory),
            directory.permissions & 0o1000 != 0, ![0, status.owner, directory.owner].contains(user)
        else { return }
        throw .refused("it belongs to another user, in a directory where only owners may remove files")
    }

    // MARK: The end

    /// - Parameter isIncomplete: Whether the source is corrupt or truncated.
    package func checkEnd(isIncomplete: Bool) throws(SourceReplacementError) {
        guard !isIncomplete else {
            throw .refused("it is damaged or truncated, and may contain more than the output")
        }
        try checkUnchanged()
    }

    package func checkUnchanged() throws(SourceReplacementError) {
        guard state.isUnchanged(at: source) else { throw .changed }
    }

    /// Gives the output the attributes of the source.
    ///
    /// - Parameter take: Applies them to the output. Before the work it may be an empty file, to find out whether that
    ///   will be possible.
    package func giveAttributes(
        _ take: (FileAttributes) throws(SystemError) -> Void
    ) throws(SourceReplacementError) {
        do throws(SystemError) { try take(try FileAttributes(of: source)) } catch {
            throw .refused("its owner, permissions or attributes cannot be kept: \(error)")
        }
    }

    /// Removes the source if it has another name than the output, which has its own by now.
    ///
    /// - Returns: false if another file has the source's name by now, and stays.
    package func removeSource() throws(AtomicFileError) -> Bool {
        guard isRename else { return true }
        do throws(SystemError) {
            let directory = FileName.directory(of: output).directory
            try Directory.synchronize(directory)
            // The disk may have taken its time.
            guard state.isUnchanged(at: source) else { return false }
            guard unlink(source) == 0 else { throw SystemError("unlink", errno) }
            try? Directory.synchronize(directory)
            return true
        } catch { throw .sourceNotRemoved(path: source, output: output, error) }
    }
}

/// Why a source cannot be replaced.
package enum SourceReplacementError: Error, Sendable, Hashable {
    /// The output has another name than the source, and that is taken.
    case outputExists
    /// The source is not the file that was read.
    case changed
    case refused(String, hint: String? = nil)
}

extension InodeFlags {
    /// The flag that forbids renaming and removing the file.
    fileprivate var protection: String? {
        contains(.immutable) ? "immutable" : contains(.appendOnly) ? "append-only" : nil
    }
}
