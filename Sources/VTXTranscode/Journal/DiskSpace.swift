import VTXMedia
import VTXSystem
import VTXTask

/// Compares the disk space that a transcode needs with the free space, before the first frame.
///
/// A bit rate determines the size, a quality does not. The bit rate is an average that simple content stays below, so
/// too little space is not yet an error.
struct DiskSpace {
    /// Returns the free bytes of a directory; nil if unknown.
    var available: (String) -> Int64? = Directory.availableBytes

    /// Returns the file system of a directory.
    var fileSystem: (String) -> UInt64? = Directory.fileSystem

    /// What does not fit.
    enum Shortage: Hashable {
        /// The output itself.
        case output(Notice)
        /// The journal, but not the output. The only consequence is that a killed transcode starts over.
        case journal(Notice)

        var notice: Notice {
            switch self {
            case .output(let notice), .journal(let notice): notice
            }
        }
    }

    /// - Returns: nil if everything fits, or nothing is known.
    func shortage(_ plan: TranscodePlan, journal: JournalRequest) -> Shortage? {
        guard let average = plan.averageBitrate, let seconds = plan.timestamps.expectedSeconds else { return nil }
        let bytes = Int64(Double(average) * seconds / 8)
        let directory = FileName.directory(of: plan.output).directory
        if let lack = lack(of: bytes, in: directory) {
            return .output(Notice(.outputSpace, "'\(plan.output)' needs \(lack)"))
        }
        // An existing journal already occupies its space.
        guard !journal.exists(for: plan.output) else { return nil }
        return lack(ofJournal: bytes, journal, directory).map {
            .journal(Notice(.journalUnusable, "no journal of '\(plan.output)' is kept: with it the output needs \($0)"))
        }
    }

    /// - Parameter journal: nil if none is kept.
    /// - Returns: what does not fit of the rest of an output and of its journal; nil if all of it does.
    fileprivate func lack(ofRest bytes: Int64, _ output: String, _ journal: JournalRequest?) -> String? {
        let directory = FileName.directory(of: output).directory
        let isShared = journal.map { !isElsewhere($0, directory) } ?? false
        let what = "the rest of '\(output)'\(isShared ? " and its journal" : "")"
        if let lack = lack(of: bytes, in: directory) { return "\(what) needs \(lack)" }
        return journal.flatMap { lack(ofJournal: bytes, $0, directory) }.map {
            "\(isShared ? what : "the journal of '\(output)'") needs \($0)"
        }
    }

    private func lack(ofJournal bytes: Int64, _ journal: JournalRequest, _ directory: String) -> String? {
        guard let journals = journal.directory, isElsewhere(journal, directory) else {
            return lack(of: 2 * bytes, in: directory)
        }
        return lack(of: bytes, in: journals)
    }

    /// Whether the journal is on another file system than the output.
    private func isElsewhere(_ journal: JournalRequest, _ directory: String) -> Bool {
        journal.directory.map { fileSystem($0) != fileSystem(directory) } ?? false
    }

    private func lack(of bytes: Int64, in directory: String) -> String? {
        guard let free = available(directory), free < bytes else { return nil }
        return "about \((bytes + 999_999) / 1_000_000) MB, but '\(directory)' has only \(free / 1_000_000) MB left"
    }
}

extension TranscodePlan {
    /// The bit rate of the video, of all renditions together; nil if a quality determines it.
    fileprivate var averageBitrate: Int? {
        let rates = encodings.compactMap { encoding -> Int? in
            guard case .bitrate(let average, _) = encoding.encoder.rateControl else { return nil }
            return average
        }
        return rates.isEmpty ? nil : rates.reduce(0, +)
    }
}

/// Warns once, as soon as the size so far shows that the rest of an output does not fit.
struct SpaceWarning {
    var space = DiskSpace()
    private var isReported = false

    init(_ space: DiskSpace = DiskSpace()) { self.space = space }

    /// - Parameter journal: nil if none is kept.
    mutating func take(_ projection: SizeProjection, _ plan: TranscodePlan, _ journal: JournalRequest?) -> [Notice] {
        guard !isReported else { return [] }
        let missing = projection.total - projection.written
        guard let lack = space.lack(ofRest: missing, plan.output, journal) else { return [] }
        isReported = true
        return [Notice(.outputSpace, "\(lack)")]
    }
}
