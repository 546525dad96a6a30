import VTXJournal
import VTXMedia
import VTXSystem
package import VTXTask

extension UnfinishedTranscode {
    /// - Returns: nil where another process writes it.
    private init?(_ path: String, timeout: LockTimeout = .none) {
        guard FileStatus(path, followsLinks: false)?.kind == .directory,
            let journal = try? JournalDirectory.open(path, timeout: timeout)
        else { return nil }
        let task = (try? JournalHeader<JournaledTask>.read(from: journal))?.task
        let partial = (task?.output).flatMap { FileStatus(AtomicFile.partialPath(for: $0)) }?.byteCount ?? 0
        self.init(
            path: path, output: task?.output ?? "", command: task?.command ?? [],
            workingDirectory: task?.workingDirectory ?? "", byteCount: journal.byteCount + partial)
    }

    /// Those in a directory that no process is at, sorted by their paths.
    package static func all(
        in directory: String, where isWanted: (String) -> Bool = { _ in true }
    ) -> [UnfinishedTranscode] {
        Directory.names(in: directory).filter { $0.hasSuffix(JournalRequest.suffix) }.sorted()
            .map { "\(directory)/\($0)" }.filter(isWanted).compactMap { UnfinishedTranscode($0) }
    }

    /// Those that nothing has gone on with for a day, but for one.
    static func forgotten(in directory: String, but path: String) -> [UnfinishedTranscode] {
        all(in: directory) { $0 != path && JournalDirectory.isForgotten($0) }.filter { !$0.output.isEmpty }
    }

    /// - Parameters:
    ///   - name: of the journal, or of the output.
    ///   - request: where journals are.
    /// - Throws: `journal.none`, `output.busy`.
    package static func find(_ name: String, _ request: JournalRequest) throws(TranscodeError) -> UnfinishedTranscode {
        let paths = [name, request.path(for: name)].filter(JournalDirectory.exists)
        guard let path = paths.first else {
            throw TranscodeError(.journalNone, "there is no unfinished transcode of '\(name)'")
        }
        guard let found = UnfinishedTranscode(path, timeout: .worker) else {
            throw TranscodeError(.outputBusy, "another vtx is writing '\(name)'")
        }
        guard !found.command.isEmpty else {
            throw TranscodeError(.journalNone, "the journal '\(path)' is damaged: it does not say what was asked for")
        }
        return found
    }
}

extension [UnfinishedTranscode] {
    /// Tells the user what has been left; nil for none.
    func notice(in directory: String) -> Notice? {
        guard !isEmpty else { return nil }
        let outputs = prefix(3).map { "'\($0.output)'" }.joined(separator: ", ") + (count > 3 ? ", ..." : "")
        let megabytes = reduce(0) { $0 + $1.byteCount } / 1_000_000
        return Notice(
            .journalLeftover,
            "\(counted(count, "unfinished transcode has", "unfinished transcodes have")) left \(megabytes) MB in '\(directory)' (\(outputs)): `vtx resume` goes on with one, `vtx clean` removes them"
        )
    }
}
