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

    /// Which file system a directory is on.
    var fileSystem: (String) -> UInt64? = Directory.fileSystem

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
        guard case .bitrate(let average, _)? = plan.video.encoding?.encoder.rateControl,
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

    /// - Parameter journal: nil where none is kept.
    /// - Returns: nil where an output, or the rest of it, fits with its journal.
    fileprivate func lack(of bytes: Int64, _ output: String, _ journal: JournalRequest?) -> String? {
        let directory = FileName.directory(of: output).directory
        return lack(of: bytes, in: directory) ?? journal.flatMap { lack(ofJournal: bytes, $0, directory) }
    }

    private func lack(ofJournal bytes: Int64, _ journal: JournalRequest, _ directory: String) -> String? {
        guard let journals = journal.directory, fileSystem(journals) != fileSystem(directory) else {
            return lack(of: 2 * bytes, in: directory)
        }
        return lack(of: bytes, in: journals)
    }

    private func lack(of bytes: Int64, in directory: String) -> String? {
        guard let free = available(directory), free < bytes else { return nil }
        return "about \(bytes / 1_000_000) MB, and '\(directory)' has \(free / 1_000_000) MB left"
    }
}

/// Says, as soon as it can be told from what is there, that the rest of an output does not fit; once.
struct SpaceWarning {
    var space = DiskSpace()
    private var isReported = false

    init(_ space: DiskSpace = DiskSpace()) { self.space = space }

    /// - Parameter journal: nil where none is kept.
    mutating func take(_ projection: SizeProjection, _ plan: TranscodePlan, _ journal: JournalRequest?) -> [Notice] {
        guard !isReported else { return [] }
        let missing = projection.total - projection.written
        guard let lack = space.lack(of: missing, plan.output, journal) else { return [] }
        isReported = true
        let what = journal == nil ? "the rest of '\(plan.output)'" : "the rest of '\(plan.output)' and its journal"
        return [Notice(.outputSpace, "\(what) takes \(lack)")]
    }
}
