import VTXMedia
import VTXSystem
import VTXTask

/// What a transcode with a journal will need of the disk, held against what is free, before the first frame.
struct DiskSpace {
    /// Bytes that are free in a directory; nil where it is not known.
    var available: (String) -> Int64? = Directory.availableBytes

    /// A bit rate tells how many bytes it takes; a quality does not.
    ///
    /// - Throws: `output.noSpace`.
    func check(_ plan: TranscodePlan, journal: JournalRequest) throws(TranscodeError) {
        guard case .bitrate(let average, _) = plan.video.encoder.rateControl,
            let seconds = plan.timestamps.expectedSeconds
        else { return }
        let bytes = Int64(Double(average) * seconds / 8)
        let directory = FileName.directory(of: plan.output).directory
        let there = FileStatus("\(journal.path(for: plan.output))/video-0.gops")?.byteCount ?? 0
        let rest = max(0, bytes - there)
        guard let journals = journal.directory else {
            return try check(bytes + rest, in: directory, plan, " with its journal")
        }
        try check(bytes, in: directory, plan, "")
        if FileStatus(journals) != nil { try check(rest, in: journals, plan, "'s journal") }
    }

    private func check(
        _ bytes: Int64, in directory: String, _ plan: TranscodePlan, _ what: String
    ) throws(TranscodeError) {
        guard let free = available(directory), free < bytes else { return }
        throw TranscodeError(
            .outputNoSpace,
            "'\(plan.output)'\(what) takes about \(bytes / 1_000_000) MB, and '\(directory)' has \(free / 1_000_000) MB left",
            hint: "\(option: .workDirectory) keeps the journal elsewhere")
    }
}
