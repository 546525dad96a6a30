import VTXFFmpeg
import VTXMedia

extension Source {
    /// The maximum duration of a cue that begins before the key frame, in seconds.
    private static let longestCue = 30.0

    /// Returns the subtitles before the position that `seek(to:)` has found, which may still be shown at `time`.
    /// libavformat seeks in Matroska to the key frame of the video for all streams.
    ///
    /// - Parameter wanted: The streams that are read.
    func earlierCues(before time: MediaTime, of wanted: Set<Int>) -> [Packet] {
        let subtitles = wanted.filter { demuxer.streams.indices.contains($0) && demuxer.streams[$0].kind == .subtitle }
        let covers = demuxer.streams.indices.filter { demuxer.streams[$0].isCoverArt }
        // Cover art comes first at every position.
        guard hasSought, !countsFrames, !subtitles.isEmpty, !demuxer.hasDiscontinuities,
            let first = firstPacket(where: { !covers.contains($0.streamIndex) }),
            let reader = try? InputFile.reopen(path)
        else { return [] }
        if derivesTimes { reader.derivePresentationTimes() }
        // The same streams, so that `first` comes out again.
        reader.keepOnly(wanted)
        let earlier = time.ticks - MediaTime(seconds: Self.longestCue).rescaled(to: time.timeBase).ticks
        // Before the beginning, a new reader is there already.
        if earlier > demuxer.startTime?.rescaled(to: time.timeBase).ticks ?? 0 {
            guard (try? reader.seek(to: MediaTime(earlier, time.timeBase))) != nil else { return [] }
        }
        var cues: [Packet] = []
        while let packet = try? reader.read(), !packet.isSame(as: first), !isVideo(packet, after: time) {
            if subtitles.contains(packet.streamIndex) { cues.append(packet) }
        }
        return cues
    }

    private func isVideo(_ packet: Packet, after time: MediaTime) -> Bool {
        packet.streamIndex == video.index && packet.decodingTime.map { $0.seconds > time.seconds } ?? false
    }
}

extension Packet {
    /// Whether it is the same packet of the file. After a seek, libavformat may derive other decoding times.
    fileprivate func isSame(as other: Packet) -> Bool {
        streamIndex == other.streamIndex && pts == other.pts && byteCount == other.byteCount
    }
}
