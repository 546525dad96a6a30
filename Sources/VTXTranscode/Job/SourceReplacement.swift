import Glibc
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// Replaces the source by the output. The source stays unchanged until the rename that replaces it or, if the output
/// has another extension, until the output is on disk under its name.
struct SourceReplacement {
    /// The path of the source itself.
    let source: String
    private let output: String
    private let identity: SourceIdentity
    private let status: FileStatus

    var isRename: Bool { source != output }
    /// The owner of the source. A file left by an earlier run may belong to this user by now.
    var owner: UInt32 { status.owner }

    /// - Throws: `output.notReplaced`, `output.exists`, before any work.
    init(_ plan: TranscodePlan) throws(TranscodeError) {
        (source, output) = (OutputName.target(of: plan.input), plan.output)
        guard let status = FileStatus(source), let identity = try? SourceIdentity(of: source) else {
            throw .notReplaced(plan.input, "it cannot be read: \(SystemError("open", errno).reason)")
        }
        (self.status, self.identity) = (status, identity)
        try checkNames(plan.input)
        try checkRights(plan.input)
    }

    private func checkNames(_ input: String) throws(TranscodeError) {
        guard status.linkCount == 1 else {
            throw .notReplaced(
                input, "it has \(status.linkCount) names (hard links), and the others would keep the old file")
        }
        guard isRename else { return }
        if source != input {
            throw .notReplaced(
                input, "it is a symbolic link, which would dangle: the output is '\(output)'",
                hint: "name '\(source)' itself")
        }
        guard !AtomicFile.exists(output) else {
            throw TranscodeError(
                .outputExists, "the output '\(output)' exists already, and is not the source '\(input)'",
                hint: "give one of them another name")
        }
    }

    private func checkRights(_ input: String) throws(TranscodeError) {
        let directory = FileName.directory(of: source).directory
        if let protection = InodeFlags(source)?.protection {
            throw .notReplaced(input, "it is \(protection)", hint: "`chattr -ia` removes that, for root")
        }
        if let protection = InodeFlags(directory)?.protection {
            throw .notReplaced(input, "its directory is \(protection)", hint: "`chattr -ia` removes that, for root")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .notReplaced(input, "its directory cannot be written: \(SystemError("access", errno).reason)")
        }
        try checkOwner(input)
    }

    /// Checks that a sticky directory allows it: there only owners may rename or remove files.
    private func checkOwner(_ input: String) throws(TranscodeError) {
        let user = geteuid()
        guard let directory = FileStatus(FileName.directory(of: source).directory),
            directory.permissions & 0o1000 != 0, ![0, status.owner, directory.owner].contains(user)
        else { return }
        throw .notReplaced(input, "it belongs to another user, in a directory where only owners may remove files")
    }

    // MARK: The end

    /// Tests with the empty file what will be needed at the end.
    func begin(_ file: AtomicFile) throws(TranscodeError) { try giveAttributes(to: file, isDone: false) }

    /// Gives the complete output the attributes of the source.
    ///
    /// - Parameter isIncomplete: Whether the source is corrupt or truncated.
    func finish(_ file: AtomicFile, isIncomplete: Bool) throws(TranscodeError) {
        guard !isIncomplete else {
            throw .notReplaced(source, "it is damaged or truncated, and may contain more than the output")
        }
        guard (try? SourceIdentity(of: source)) == identity else {
            throw TranscodeError(.inputChanged, "'\(source)' has changed while it was read")
        }
        try giveAttributes(to: file, isDone: true)
        try reportingOutputErrors { () throws(AtomicFileError) in try file.synchronize() }
    }

    private func giveAttributes(to file: AtomicFile, isDone: Bool) throws(TranscodeError) {
        do throws(SystemError) { try file.take(try FileAttributes(of: source), isDone: isDone) } catch {
            throw .notReplaced(source, "its owner, permissions or attributes cannot be kept: \(error)")
        }
    }

    /// Removes the source if it has another name than the output.
    func removeSource() throws(AtomicFileError) {
        guard isRename else { return }
        do throws(SystemError) {
            let directory = FileName.directory(of: output).directory
            try Directory.synchronize(directory)
            guard unlink(source) == 0 else { throw SystemError("unlink", errno) }
            try? Directory.synchronize(directory)
        } catch { throw .system(path: source, error) }
    }
}

extension InodeFlags {
    /// What neither a rename nor a removal overcomes.
    fileprivate var protection: String? {
        contains(.immutable) ? "immutable" : contains(.appendOnly) ? "append-only" : nil
    }
}

extension TranscodeError {
    fileprivate static func notReplaced(_ source: String, _ reason: String, hint: Message? = nil) -> TranscodeError {
        TranscodeError(
            .outputNotReplaced, "'\(source)' cannot be replaced: \(reason)",
            hint: hint ?? "without \(option: .replace) the output gets its own name")
    }
}
