import Glibc
import VTXMedia
import VTXSystem
import VTXTask

struct ResumeSettings: CommandSettings {
    var name = ""
    var workDirectory: String?
    var overwrites = false
    var startsOver = false
    var printsJSON = false

    init() {}

    /// The options that are added to those of the original command.
    var further: [String] {
        (overwrites ? ["--overwrite"] : []) + (startsOver ? ["--restart"] : []) + (printsJSON ? ["--json"] : [])
    }

    var journal: JournalRequest {
        var journal = JournalRequest.here
        journal.directory = workDirectory
        return journal
    }
}

extension Command {
    static let resume = Command(
        "resume", "resume an unfinished transcode",
        details: [
            "A killed transcode leaves a journal of what it has encoded. vtx resume continues from it with the same "
                + "options and directory, as running the same command again does."
        ],
        grammar: Grammar<ResumeSettings>(
            positionals: [
                .required(
                    .filePath("OUTPUT"), into: \.name,
                    "The unfinished output, or the directory of its journal.")
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .optional("work-dir", .directory, into: \.workDirectory, "Directory of journals."),
                        .flag(
                            "overwrite", short: "y", sets: \.overwrites, to: true,
                            "Replace a file that has the output's name by now."),
                        .flag(
                            "restart", sets: \.startsOver, to: true,
                            "Discard the journal and start over, for example because the source has changed."),
                        .json(sets: \.printsJSON),
                    ])
            ]),
        examples: [Example("vtx resume out.mp4", "Finish out.mp4")],
        run: { settings, console throws(UsageError) in
            do throws(TranscodeError) {
                let name = UnfinishedName(settings.name, settings.journal)
                let found = try Workers.live(console).unfinished(.findUnfinished(name))
                throw found[0].resume(adding: settings.further)
            } catch { return console.report(error, asJSON: settings.printsJSON) }
        })
}

extension JournalRequest {
    /// The journal settings of this program, in its working directory.
    static var here: JournalRequest {
        var journal = JournalRequest()
        (journal.version, journal.workingDirectory) = (Program.version, TextFile.linkTarget("/proc/self/cwd") ?? "")
        return journal
    }
}

extension UnfinishedTranscode {
    /// Replaces the process with the original command, because workers are started the same way.
    ///
    /// - Returns: why that failed.
    fileprivate func resume(adding further: [String]) -> TranscodeError {
        guard FileStatus(input) != nil else {
            return TranscodeError(
                .inputNotFound, "there is no source '\(input)'",
                hint: "if it has moved, run the original command with its new path")
        }
        guard chdir(workingDirectory) == 0 else {
            return TranscodeError(
                .journalNone, "'\(workingDirectory)' cannot be entered: \(SystemError("chdir", errno))")
        }
        let added = further.filter { !command.contains($0) }
        let error = Launch.same(with: ["vtx", "transcode"] + added + command).replaceProcess()
        return TranscodeError(.workerStart, "vtx cannot start itself: \(error)")
    }
}

struct CleanSettings: CommandSettings {
    var directory: String?
    var furtherDirectories: [String] = []
    var removes = false

    init() {}
}

extension Command {
    static let clean = Command(
        "clean", "list and remove files of unfinished transcodes",
        details: [
            "Lists journals, by their outputs, and files that killed runs have left without one, in a directory and "
                + "those below it. Files of a running vtx are skipped."
        ],
        grammar: Grammar<CleanSettings>(
            positionals: [
                .optional(.directory, into: \.directory, "Directory to search. By default the current directory.")
            ],
            groups: [
                OptionGroup("Options", [.flag("yes", short: "y", sets: \.removes, to: true, "Remove them.")])
            ], further: \CleanSettings.furtherDirectories),
        examples: [
            Example("vtx clean videos", "List unfinished transcodes in videos"),
            Example("vtx clean videos --yes", "Remove them"),
        ],
        run: { settings, console throws(UsageError) in
            let directories = [settings.directory ?? "."] + settings.furtherDirectories
            let found: [UnfinishedTranscode]
            do throws(TranscodeError) {
                for directory in directories where FileStatus(directory)?.kind != .directory {
                    throw TranscodeError(.inputNotFound, "there is no directory '\(directory)'")
                }
                found = try Workers.live(console).unfinished(.listUnfinished(directories: directories))
            } catch { return console.report(error, asJSON: false) }
            for transcode in found {
                console.output.write("\(Format.bytes(transcode.byteCount))  \(name(transcode).printable)\n")
                guard settings.removes else { continue }
                transcode.remove()
            }
            console.say(nil, summary(found, isRemoved: settings.removes))
            return .success
        })

    private static func name(_ transcode: UnfinishedTranscode) -> String {
        if transcode.isResumable { return transcode.output }
        let isJournal = transcode.path.hasSuffix(JournalRequest.suffix)
        return "\(transcode.path) (\(isJournal ? "damaged, or of another version" : "cannot be resumed"))"
    }

    private static func summary(_ found: [UnfinishedTranscode], isRemoved: Bool) -> String {
        if found.isEmpty { return "no files of unfinished transcodes" }
        let bytes = Format.bytes(found.reduce(0) { $0 + $1.byteCount })
        if isRemoved { return "\(bytes) removed" }
        let resuming = found.contains(where: \.isResumable) ? "; vtx resume OUTPUT finishes one" : ""
        return "\(bytes): --yes removes them\(resuming)"
    }
}

extension TranscodeError {
    /// Adds the hint that a journal exists, which a worker that crashed, or that failed with its GPU, could not give.
    func hinting(atJournalOf request: TranscodeRequest, _ output: String?) -> TranscodeError {
        let isResumable = [.hardware, .fallback, .verification, .internal, .interrupted, .terminated].contains(category)
        guard isResumable, let journal = request.journal, let output, journal.exists(for: output) else { return self }
        guard hint?.withFlags.contains(journal.resumeCommand(output)) != true else { return self }
        let resuming = journal.resumeHint(output, "from the journal")
        var error = self
        error.hint = hint.map { $0 + "; " + resuming } ?? resuming
        return error
    }
}
