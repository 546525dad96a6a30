import Glibc
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// How an output takes its source's place: the source stays as it is up to the one rename that replaces it, or, where
/// the output has another extension, until the output's name is on the disk.
struct SourceReplacement {
    /// The file itself.
    let source: String
    private let output: String
    private let identity: SourceIdentity
    private let status: FileStatus

    var isRename: Bool { source != output }
    /// What an earlier run has left may be this user's by now.
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
                input, "it has \(status.linkCount) names (hard links), and under the others the old file would stay")
        }
        guard isRename else { return }
        if source != input {
            throw .notReplaced(
                input, "it is a symbolic link, which would lead nowhere: the output is '\(output)'",
                hint: "name '\(source)' itself")
        }
        guard !AtomicFile.exists(output) else {
            throw TranscodeError(
                .outputExists, "the output '\(output)' exists already, and is not the source '\(input)'",
                hint: "give one of them another name")
        }
    }

    /// In a directory with the sticky bit only owners may rename or remove.
    private func checkRights(_ input: String) throws(TranscodeError) {
        let user = geteuid()
        guard let directory = FileStatus(FileName.directory(of: source).directory),
            directory.permissions & 0o1000 != 0, ![0, status.owner, directory.owner].contains(user)
        else { return }
        throw .notReplaced(input, "it is another user's, in a directory where only owners may remove files")
    }

    // MARK: The end

    /// Tries with the empty file what will be needed at the end.
    func begin(_ file: AtomicFile) throws(TranscodeError) { try giveAttributes(to: file, isDone: false) }

    /// The output is whole: it gets what the source has beside its content.
    ///
    /// - Parameter isIncomplete: the source is damaged, or ends early.
    func finish(_ file: AtomicFile, isIncomplete: Bool) throws(TranscodeError) {
        guard !isIncomplete else {
            throw .notReplaced(source, "it is damaged or ends early, and what is missing in the output may be in it")
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

    /// The output has its name: the source goes, if it has another one.
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

extension TranscodeError {
    fileprivate static func notReplaced(_ source: String, _ reason: String, hint: Message? = nil) -> TranscodeError {
        TranscodeError(
            .outputNotReplaced, "'\(source)' cannot be replaced: \(reason)",
            hint: hint ?? "without \(option: .replace) the output gets a name of its own")
    }
}
