import VTXFFmpeg
import VTXMedia
import VTXTask

/// Reads the files of a ladder back: checks each rendition as an output, and the renditions against each other.
struct LadderVerifier {
    let plan: TranscodePlan
    /// The ledger of each rendition; the first one includes the other streams.
    let ledgers: [OutputLedger]
    /// Returns the path of a file.
    let path: (String) -> String

    /// - Parameter onWrongGroup: Called before throwing if a GOP is wrong.
    /// - Throws: `verification.*` for the first problem found.
    func verify(
        _ listing: LadderListing, shouldStop: () -> Bool, onWrongGroup: (OutputVerifier.WrongGroup) -> Void = { _ in }
    ) throws(TranscodeError) {
        try Self.checkAlignment(listing.videos)
        for track in plan.tracks where !shouldStop() {
            switch track.content {
            case .video(let rendition):
                try OutputVerifier(plan: plan.plan(of: track), ledger: ledgers[rendition], path: path(track.file))
                    .verify(shouldStop: shouldStop, onWrongGroup: onWrongGroup)
            case .audio(let stream): try checkAudio(stream, track, shouldStop)
            case .subtitles: break
            }
        }
    }

    /// Checks that segments are aligned: players switch renditions at segment boundaries.
    static func checkAlignment(_ videos: [LadderListing.Video]) throws(TranscodeError) {
        guard let first = videos.first else { return }
        for other in videos.dropFirst() {
            let (segments, others) = (first.list.segments, other.list.segments)
            guard segments.count == others.count else {
                throw .check(
                    .verificationAlignment,
                    "\(first.name) has \(segments.count) segments, and \(other.name) \(others.count)")
            }
            if let apart = zip(segments, others).first(where: { abs($0.start - $1.start) > 0.001 }) {
                throw .check(
                    .verificationAlignment,
                    "a segment of \(first.name) begins at \(apart.0.start) s, and of \(other.name) at \(apart.1.start) s"
                )
            }
        }
    }

    /// Checks the beginning of the last packet, because muxers split and join packets.
    private func checkAudio(
        _ stream: StreamPlan, _ track: LadderTrack, _ shouldStop: () -> Bool
    ) throws(TranscodeError) {
        let entry = ledgers[0].entries[track.stream]
        var (count, last) = (0, Double?.none)
        do {
            let demuxer = try Demuxer(path: path(track.file), format: Container.mp4.muxerName)
            while let packet = try demuxer.read(), !shouldStop() {
                count += 1
                last = [last, packet.presentationTime?.seconds].compactMap(\.self).max()
            }
        } catch {
            throw .check(.verificationUnreadable, "\(error)")
        }
        guard !shouldStop() else { return }
        guard count > 0 || entry.packets == 0 else {
            throw .check(.verificationStreams, "\(stream.source.label) is empty")
        }
        guard let wanted = entry.lastTime, let found = last, abs(found - wanted) >= 0.1 else { return }
        throw .check(.verificationDuration, "\(stream.source.label) ends at \(found) s instead of \(wanted) s")
    }
}
