import VTXMedia
import VTXSystem
import VTXTask

/// What a transcode will need of the disk, held against what is free, before the first frame.
///
/// A bit rate tells how many bytes it takes; a quality does not. It is an average that an easy source stays below, so
/// too little space is no error yet.
struct DiskSpace {
    /// Bytes that are free in a directory; nil where it is not known.
    var available: (String) -> Int64? = Directory.availableBytes

    /// What does not fit.
    enum Shortage: Hashable {
        /// The output alone.
        case output(Notice)
        /// The output does, its journal does not: nothing is lost but that a killed transcode starts over.
        case journal(Notice)

        var notice: Notice {
            switch self {
            case .output(let notice), .journal(let notice): notice
            }
        }
    }

    /// - Returns: nil where all fits, or where nothing is known.
    func shortage(_ plan: TranscodePlan, journal: JournalRequest) -> Shortage? {
        guard case .bitrate(let average, _) = plan.video.encoder.rateControl,
            let seconds = plan.timestamps.expectedSeconds
        else { return nil }
        let bytes = Int64(Double(average) * seconds / 8)
        let directory = FileName.directory(of: plan.output).directory
        if let lack = lack(of: bytes, in: directory) {
            return .output(Notice(.outputSpace, "'\(plan.output)' takes \(lack)"))
        }
        // One that is there has its part of the disk already.
        guard !journal.exists(for: plan.output) else { return nil }
        return lack(ofJournal: bytes, journal, directory).map {
            .journal(Notice(.journalUnusable, "no journal of '\(plan.output)' is kept: with it the output takes \($0)"))
        }
    }

    private func lack(ofJournal bytes: Int64, _ journal: JournalRequest, _ directory: String) -> String? {
        guard let journals = journal.directory else { return lack(of: 2 * bytes, in: directory) }
        return lack(of: bytes, in: journals)
    }

    private func lack(of bytes: Int64, in directory: String) -> String? {
        guard let free = available(directory), free < bytes else { return nil }
        return "about \(bytes / 1_000_000) MB, and '\(directory)' has \(free / 1_000_000) MB left"
    }
}
