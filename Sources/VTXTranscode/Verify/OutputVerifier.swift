import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Reads the finished file back and compares it with the plan and the input: the streams, the timestamp of each frame,
/// and the content of sampled frames.
struct OutputVerifier {
    let plan: TranscodePlan
    let ledger: OutputLedger
    let path: String

    /// - Parameter onWrongGroup: Called before throwing if a GOP is wrong.
    /// - Throws: `verification.*` for the first problem found.
    func verify(shouldStop: () -> Bool, onWrongGroup: (WrongGroup) -> Void = { _ in }) throws(TranscodeError) {
        let demuxer = try open()
        let streams = demuxer.streams
        let expected = plan.outputStreams
        try checkInventory(streams, expected)
        let (readings, decoded) = try read(demuxer, shouldStop)
        if shouldStop() { return }
        if plan.video.encoding != nil { ledger.verification = decoded.report }
        if let encoding = plan.video.encoding, expected.count(where: { $0.countedKind == .video }) == 1 {
            let video = streams.first { $0.countedKind == .video }
            try FirstFrameCheck(plan: plan, encoding: encoding, frame: decoded.first, stream: video).check()
        }
        for (stream, plan) in expected.enumerated() {
            guard let file = position(of: stream, in: streams, expected) else { continue }
            if stream == self.plan.videoIndex {
                try checkVideo(streams[file], readings[file])
            } else {
                try checkOther(plan, ledger.entries[stream], readings[file])
            }
        }
        guard let failure = decoded.failure else { return }
        if let packet = decoded.failedPacket {
            onWrongGroup(WrongGroup(firstPacket: packet, trustedPackets: decoded.trustedPackets))
        }
        throw failure
    }

    /// A GOP that failed the check.
    struct WrongGroup {
        /// The index of its first packet in the video.
        var firstPacket: Int
        /// The number of packets before it up to the last sample that was right. What follows these was not compared,
        /// and may be as wrong.
        var trustedPackets: Int
    }

    /// What has been read of a stream.
    fileprivate struct Reading {
        /// The period of the container's timestamp counter, in ticks; nil for none.
        let period: Int64?
        /// The planned time of the first frame, which tells how often the counter has wrapped before.
        let first: Int64
        var times: [Int64] = []
        var packets = 0
        var lastTime: Double?
        var endTime: Double?
    }

    private func open() throws(TranscodeError) -> Demuxer {
        // A few packets of a transport stream do not show what they are; the name that says it comes later.
        do { return try Demuxer(path: path, format: plan.container.muxerName) } catch {
            throw .check(.verificationUnreadable, "it cannot be opened: \(error)")
        }
    }

    // MARK: Streams

    private func checkInventory(_ streams: [InputStream], _ expected: [StreamPlan]) throws(TranscodeError) {
        let entries = ledger.entries
        // An MP4's chapters come back as a stream of their own, a data stream.
        for kind in StreamKind.allCases where kind != .data {
            let planned = expected.indices.filter { expected[$0].countedKind == kind }
            // A stream in which nothing ever came leaves no trace in some containers.
            let filled = planned.count { kind == .attachment || entries[$0].packets > 0 }
            let found = streams.count { $0.countedKind == kind }
            guard (filled...planned.count).contains(found) else {
                throw .check(.verificationStreams, "\(found) \(kind.rawValue) streams instead of \(planned.count)")
            }
        }
        guard streams.contains(where: { $0.countedKind == .video }) else {
            throw .check(.verificationStreams, "there is no video")
        }
    }

    /// Returns the position of a stream. Streams keep their order, but some containers put cover art last and omit
    /// empty streams.
    private func position(of stream: Int, in streams: [InputStream], _ expected: [StreamPlan]) -> Int? {
        let kind = expected[stream].countedKind
        let entries = ledger.entries
        let all = streams.count { $0.countedKind == kind } == expected.count { $0.countedKind == kind }
        let rank = expected[..<stream].indices.count {
            expected[$0].countedKind == kind && (all || entries[$0].packets > 0)
        }
        let candidates = streams.indices.filter { streams[$0].countedKind == kind }
        return candidates.indices.contains(rank) ? candidates[rank] : nil
    }

    // MARK: Packets

    private func read(
        _ demuxer: Demuxer, _ shouldStop: () -> Bool
    ) throws(TranscodeError) -> (readings: [Reading], decoded: SampleDecoder) {
        var readings = demuxer.streams.map(reading)
        let video = position(of: plan.videoIndex, in: demuxer.streams, plan.outputStreams)
        // Copied video is not decoded: it is as good as the source.
        let decodable = plan.video.encoding == nil ? nil : video.map { demuxer.streams[$0] }
        var decoded = SampleDecoder(
            ledger.samples, plan.video.encoding?.verification ?? .off, of: decodable,
            softwarePackets: plan.video.encoding?.usesHardware == true ? ledger.softwarePackets : .max)
        do {
            while let packet = try demuxer.read() {
                if shouldStop() { break }
                guard readings.indices.contains(packet.streamIndex) else { continue }
                readings[packet.streamIndex].note(packet)
                decoded.add(packet)
            }
        } catch {
            throw .check(.verificationUnreadable, "\(error)")
        }
        decoded.finish()
        return (readings, decoded)
    }

    private func reading(of stream: InputStream) -> Reading {
        let first = MediaTime(ledger.videoTimes.first ?? 0, plan.video.timeBase)
        return Reading(period: stream.timestampPeriod?.ticks, first: first.rescaled(to: stream.timeBase).ticks)
    }

    private func checkVideo(_ stream: InputStream, _ reading: Reading) throws(TranscodeError) {
        let planned = ledger.videoTimes
        guard reading.packets == planned.count else {
            throw .check(.verificationFrames, "\(reading.packets) frames instead of \(planned.count)")
        }
        // An elementary stream has no times to compare.
        guard !plan.container.isElementaryStream else { return }
        let timeBase = plan.video.timeBase
        for (found, wanted) in zip(reading.times.sorted(), planned) {
            let expected = MediaTime.rescale(wanted, from: timeBase, to: stream.timeBase)
            guard abs(found - expected) <= 1 else {
                let times = [found, expected].map { "\(MediaTime($0, stream.timeBase).seconds)" }
                throw .check(.verificationTimestamps, "a frame is at \(times[0]) s instead of \(times[1]) s")
            }
        }
        try checkVideoEnd(reading)
    }

    /// The longest interval between frames near the end, in seconds. Containers store durations in decoding order, so
    /// with variable frame rate the last frame may get the duration of another one.
    private var longestLateGap: Double {
        let times = ledger.videoTimes.suffix(17)
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        return MediaTime(gaps.max() ?? 0, plan.video.timeBase).seconds
    }

    private func checkVideoEnd(_ reading: Reading) throws(TranscodeError) {
        let timeBase = plan.video.timeBase
        let frame = plan.video.frameRate.frameSeconds
        guard let last = ledger.lastTime, let found = reading.endTime else { return }
        let wanted = MediaTime(last, timeBase).seconds + ledger.lastDuration
        guard abs(found - wanted) <= max(frame, ledger.lastDuration, longestLateGap) + 0.002 else {
            throw .check(.verificationDuration, "the video ends at \(found) s instead of \(wanted) s")
        }
    }

    /// Checks the beginning and end of another stream, because muxers split and join packets.
    private func checkOther(
        _ stream: StreamPlan, _ entry: OutputLedger.Entry, _ reading: Reading
    ) throws(TranscodeError) {
        guard entry.packets > 0, !stream.source.isCoverArt, stream.source.kind != .attachment else { return }
        guard reading.packets > 0 else {
            throw .check(.verificationStreams, "\(stream.source.label) is empty")
        }
        // The last packet's start, not its end: durations that a source invents do not outlive every container.
        guard stream.source.kind == .audio, let wanted = entry.lastTime, let found = reading.lastTime else { return }
        guard abs(found - wanted) < 0.1 else {
            throw .check(.verificationDuration, "\(stream.source.label) ends at \(found) s instead of \(wanted) s")
        }
    }
}

extension OutputVerifier.Reading {
    fileprivate mutating func note(_ packet: Packet) {
        packets += 1
        guard let pts = packet.pts.map(unwrapped) else { return }
        times.append(pts)
        let start = MediaTime(pts, packet.timeBase).seconds
        let duration = MediaTime(packet.duration, packet.timeBase).seconds
        lastTime = max(lastTime ?? start, start)
        endTime = max(endTime ?? start, start + duration)
    }

    /// Returns the possible value of the timestamp that is nearest to the previous one.
    private func unwrapped(_ time: Int64) -> Int64 {
        guard let period else { return time }
        return time + period * Int64((Double((times.last ?? first) - time) / Double(period)).rounded())
    }
}

extension StreamPlan {
    fileprivate var countedKind: StreamKind { source.countedKind }
}

extension TranscodeError {
    /// - Parameter message: The problem.
    static func check(_ kind: ErrorKind, _ message: Message) -> TranscodeError {
        TranscodeError(kind, "verification of the output failed: \(message)")
    }
}
