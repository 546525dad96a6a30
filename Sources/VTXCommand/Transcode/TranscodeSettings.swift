import VTXMedia
import VTXTask

/// What `vtx transcode` was told: the request, and how to talk about it.
struct TranscodeSettings: CommandSettings {
    var request = TranscodeRequest(input: "")

    var keepsJournal = false
    var restarts = false
    /// Where journals are; nil for beside the output.
    var workDirectory: String?

    var outputDirectory: String?
    /// Arguments after the first two, with `outputDirectory`.
    var furtherInputs: [String] = []
    /// The options, as they were given.
    var optionArguments: [String] = []

    var explains = false
    var printsJSON = false
    var isQuiet = false
    var isVerbose = false
    var progress: ProgressStyle = .auto

    init() {}
}

/// How the progress of a transcode is shown.
enum ProgressStyle: String, Sendable, CaseIterable {
    /// A bar on a terminal, nothing elsewhere.
    case auto
    /// A bar, even where stderr does not look like a terminal.
    case bar
    /// ffmpeg's `key=value` blocks on stdout, for programs that read those.
    case ffmpeg
    case none
}

extension TranscodeSettings {
    /// Itself, once the values have been held against each other.
    func checked() throws(UsageError) -> TranscodeSettings {
        do throws(TranscodeError) { try request.check() } catch { throw .request(error) }
        if printsJSON, progress == .ffmpeg {
            throw .contradiction("--json and --progress ffmpeg both want standard output", hint: nil)
        }
        guard keepsJournal else { return self }
        var settings = self
        settings.request.journal = journal
        return settings
    }

    /// With an output directory, what becomes of its inputs; nil for one input.
    func batch() throws(UsageError) -> BatchPlan? {
        guard let outputDirectory else {
            if let argument = furtherInputs.first { throw .unexpectedInput(argument) }
            return nil
        }
        return try BatchPlan([request.input] + [request.output].compactMap(\.self) + furtherInputs, to: outputDirectory)
    }

    private var journal: JournalRequest {
        var journal = JournalRequest.here
        (journal.directory, journal.startsOver) = (workDirectory, restarts)
        let options = optionArguments.filter { $0 != "--restart" && !$0.hasPrefix("--output-dir=") }
        journal.command = options + ["--", request.input] + [request.output].compactMap(\.self)
        return journal
    }
}
