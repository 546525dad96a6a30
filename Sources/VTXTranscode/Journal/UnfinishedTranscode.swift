import VTXJournal
import VTXMedia
import VTXSystem
package import VTXTask

extension UnfinishedTranscode {
    /// - Returns: nil if another process is writing it.
    private init?(_ path: String, timeout: LockTimeout = .none) {
        guard FileStatus(path, followsLinks: false)?.kind == .directory,
            let journal = try? JournalDirectory.open(path, timeout: timeout)
        else { return nil }
        self.init(path: path, byteCount: journal.byteCount)
        guard let task = (try? JournalHeader<JournaledTask>.read(from: journal))?.task else { return }
        var request = JournalRequest()
        request.workingDirectory = task.workingDirectory
        (output, input) = (task.output, request.absolutePath(task.plan.input))
        (command, workingDirectory) = (task.command, task.workingDirectory)
        byteCount += Directory.byteCount(AtomicFile.partialPath(for: output))
    }

    /// Returns the unfinished transcodes in a directory that no process is working on, sorted by path.
    package static func all(
        in directory: String, where isWanted: (String) -> Bool = { _ in true }
    ) -> [UnfinishedTranscode] {
        Directory.names(in: directory).filter { $0.hasSuffix(JournalRequest.suffix) }.sorted()
            .map { "\(directory)/\($0)" }.filter(isWanted).compactMap { UnfinishedTranscode($0) }
    }

    /// Returns the unfinished transcodes in directories and those below them, and then the partial files and directories
    /// that belong to none of them.
    package static func all(below directories: [String]) -> [UnfinishedTranscode] {
        let directories = directories.flatMap(Directory.tree).filter { !$0.hasSuffix(AtomicFile.partialSuffix) }
        let journals = directories.flatMap { all(in: $0) }
        let counted = Set(journals.map { FileIdentity(AtomicFile.partialPath(for: $0.output)) })
        let others = directories.flatMap(AtomicFile.leftovers).filter { !counted.contains(FileIdentity($0)) }
        return journals + others.map { UnfinishedTranscode(path: $0, byteCount: Directory.byteCount($0)) }
    }

    /// Returns those that have not been resumed for a day, except one.
    static func forgotten(in directory: String, but path: String) -> [UnfinishedTranscode] {
        all(in: directory) { $0 != path && JournalDirectory.isForgotten($0) }.filter { !$0.output.isEmpty }
    }

    /// - Parameters:
    ///   - name: The path of the journal or of the output.
    ///   - request: The location of journals.
    /// - Throws: `journal.none`, `output.busy`.
    package static func find(_ name: String, _ request: JournalRequest) throws(TranscodeError) -> UnfinishedTranscode {
        // The output of a ladder is a directory.
        let output = FileName.withoutTrailingSlashes(name)
        guard let path = [name, request.path(for: output)].first(where: JournalDirectory.exists) else {
            return try onlyOne(in: name)
        }
        guard let found = UnfinishedTranscode(path, timeout: .worker) else {
            throw TranscodeError(.outputBusy, "another vtx is writing '\(name)'")
        }
        try found.check(name, request)
        return found
    }

    /// - Throws: `journal.none` if it cannot be resumed from where it is.
    private func check(_ name: String, _ request: JournalRequest) throws(TranscodeError) {
        guard JournalDirectory.exists(path) else {
            // Waiting for its lock has made the directory again.
            Directory.removeTree(path)
            throw TranscodeError(.journalNone, "another vtx has finished '\(name)' meanwhile")
        }
        guard isResumable else {
            throw TranscodeError(
                .journalNone, "the journal '\(path)' is damaged, or another version of vtx has written it",
                hint: "run the original command again: it says what differs")
        }
        let original = request.path(for: output)
        let isBeside = FileName.directory(of: path).name == FileName.directory(of: original).name
        guard !isBeside || FileIdentity(path) == FileIdentity(original) else {
            throw TranscodeError(
                .journalNone, "the journal '\(path)' was moved or copied: it belongs to '\(output)'",
                hint: "run the original command again with the new paths")
        }
    }

    private static func onlyOne(in directory: String) throws(TranscodeError) -> UnfinishedTranscode {
        let found = all(in: directory).filter(\.isResumable)
        if found.count == 1 { return found[0] }
        let outputs = found.map { "'\($0.output)'" }.joined(separator: ", ")
        guard found.isEmpty else {
            throw TranscodeError(
                .journalNone, "'\(directory)' has \(found.count) unfinished transcodes: \(outputs)",
                hint: "name the output of one")
        }
        throw TranscodeError(
            .journalNone, "there is no unfinished transcode of '\(directory)'",
            hint: "`vtx clean` lists those in a directory; \(option: .workDirectory) says where journals are kept")
    }
}

extension [UnfinishedTranscode] {
    /// Returns a notice about what has been left; nil for none.
    func notice(in directory: String) -> Notice? {
        guard !isEmpty else { return nil }
        let outputs = prefix(3).map { "'\($0.output)'" }.joined(separator: ", ") + (count > 3 ? ", ..." : "")
        let megabytes = reduce(0) { $0 + $1.byteCount } / 1_000_000
        return Notice(
            .journalLeftover,
            "\(counted(count, "unfinished transcode has", "unfinished transcodes have")) left \(megabytes) MB in "
                + "'\(directory)' (\(outputs)): `vtx resume` finishes one, `vtx clean` removes them"
        )
    }
}
