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
    /// The separate files that contribute streams or bitmap subtitles to the output.
    var addedFiles: [String] {
        let drawn = video.encoding?.filter.custom?.subtitles?.path
        return streams.filter { !$0.isDropped }.compactMap(\.source.file)
            + [drawn].compactMap { $0 == input ? nil : $0 }
    }
}
