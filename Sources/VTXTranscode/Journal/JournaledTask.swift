import VTXMedia
import VTXTask

/// The task that produced the video in a journal. Only the same task can resume from it.
struct JournaledTask: Codable, Hashable, Sendable {
    var plan: TranscodePlan
    /// The absolute path of the output.
    var output: String
    /// The arguments and working directory of the program.
    var command: [String]
    var workingDirectory: String

    init(_ plan: TranscodePlan, _ request: JournalRequest) {
        self.plan = plan
        output = request.absolutePath(plan.output)
        command = request.command
        workingDirectory = request.workingDirectory
    }
}

extension TranscodePlan {
    /// The separate files that contribute streams or burned-in subtitles to the output.
    var addedFiles: [String] {
        let custom = video.encoding?.filter.custom
        let drawn = [custom?.subtitles?.path, custom?.subtitleFile].compactMap(\.self).filter { $0 != input }
        return streams.filter { !$0.isDropped }.compactMap(\.source.file) + drawn
    }
}
