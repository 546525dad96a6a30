import VTXMedia
import VTXSystem
import VTXTask

/// The directory of a ladder.
final class LadderOutput: AttemptOutput {
    private let job: TranscodeJob
    private let plan: TranscodePlan
    private let directory: AtomicDirectory
    let lowerLedgers: [OutputLedger]

    private var journal: TranscodeJournal? { job.journal }

    init(_ plan: TranscodePlan, of job: TranscodeJob) throws(TranscodeError) {
        (self.plan, self.job) = (plan, job)
        lowerLedgers = (plan.ladder?.lower ?? []).map { _ in OutputLedger(streams: 1) }
        directory = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicDirectory.reserve(
                plan.output, replaces: job.request.overwrite == .replace, source: job.request.input,
                LadderFiles.contents, timeout: .worker)
        }
    }

    /// - Returns: false if the directory exists and is not to be replaced.
    static func isWanted(_ path: String, _ policy: OverwritePolicy) throws(AtomicFileError) -> Bool {
        try AtomicDirectory.isWanted(path, policy, LadderFiles.contents)
    }

    var byteCount: Int64 { directory.byteCount }

    func begin() {}

    func makeSink(_ ledger: OutputLedger, _ damage: InputErrorReport) throws -> any PacketSink {
        let sink = try LadderSink(
            plan, damage: damage, repeatsParameterSets: job.mustRepeatParameterSets, path: directory.path)
        return try journal?.makeSink(over: sink, plan, ledger, lower: lowerLedgers, damage) ?? sink
    }

    func salvage(_ prepared: PreparedTranscode, after error: any Error, _ damage: InputErrorReport) {}

    func check(_ ledger: OutputLedger, shouldStop: () -> Bool) throws {
        let entries = ledger.entries
        let listing = try LadderListing(plan, path: directory.path) { entries[$0].packets > 0 }
        try LadderVerifier(plan: plan, ledgers: [ledger] + lowerLedgers, path: directory.path)
            .verify(listing, shouldStop: shouldStop) { wrong in
                ledger.firstWrongPacket = wrong.firstPacket
                journal?.distrust(from: wrong.trustedPackets)
            }
        let thumbnails = try drawThumbnails(listing, shouldStop)
        if plan.ladder?.writesHLS == true {
            for (name, text) in HLSPlaylists(listing: listing).all { try directory.write(text, to: name) }
        }
        if let ladder = plan.ladder, ladder.writesDASH {
            let manifest = DASHManifest(
                listing: listing, thumbnails: thumbnails, keyFrameSeconds: ladder.keyFrameSeconds)
            try directory.write(manifest.text, to: LadderFiles.manifest)
        }
        try directory.synchronize()
    }

    /// - Returns: nil for HDR, of which a JPEG would be gray.
    private func drawThumbnails(_ listing: LadderListing, _ shouldStop: () -> Bool) throws -> ThumbnailLayout? {
        guard let smallest = listing.videos.last, smallest.color.videoRange == "SDR" else { return nil }
        let layout = ThumbnailLayout(of: smallest)
        var sheets = try ThumbnailSheets(layout, of: directory.path(of: smallest.list.file))
        try sheets.draw(shouldStop: shouldStop) { number, jpeg in
            try directory.write(jpeg, to: ThumbnailLayout.sheet(number))
        }
        try directory.write(layout.text, to: ThumbnailLayout.playlist)
        return layout
    }

    func commit(_ damage: InputErrorReport) throws {
        job.markFinished(directory.partialPath, replacing: nil)
        // This may have waited for the disk.
        try job.checkCancellation()
        try directory.commit { () throws(AtomicFileError) in journal?.remove() }
    }

    func discard() { directory.discard() }
}
