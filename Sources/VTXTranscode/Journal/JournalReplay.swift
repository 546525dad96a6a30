import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXTask

/// Reads the frames of a shard, one after the other.
struct JournalReplay {
    private let shard: JournalShard
    private let directory: JournalDirectory
    private let timeBase: Rational
    private var nextGOP = 0
    private var frames: ArraySlice<JournalPacket> = []
    /// Those that the frames of this GOP were coded with.
    private(set) var parameterSets: [UInt8] = []

    init(_ shard: JournalShard, of directory: JournalDirectory, timeBase: Rational) {
        self.shard = shard
        self.directory = directory
        self.timeBase = timeBase
    }

    /// The next frame, if it is decoded up to a time; at any time without one.
    ///
    /// - Parameter onGOP: called with all frames of a GOP before the first of them.
    mutating func next(
        upTo time: MediaTime?, onGOP: ([JournalPacket]) -> Void
    ) throws(JournalError) -> JournalPacket? {
        if frames.isEmpty {
            guard nextGOP < shard.gops.count else { return nil }
            if let time, seconds(shard.gops[nextGOP].firstPTS) > time.seconds { return nil }
            let gop = try shard.read(shard.gops[nextGOP], of: directory)
            (parameterSets, frames) = (gop.parameterSets, gop.frames[...])
            nextGOP += 1
            onGOP(gop.frames)
        }
        guard let frame = frames.first, let start = frame.dts ?? frame.pts else { return frames.popFirst() }
        if let time, seconds(start) > time.seconds { return nil }
        return frames.popFirst()
    }

    private func seconds(_ ticks: Int64) -> Double { MediaTime(ticks, timeBase).seconds }
}

extension JournalPacket {
    /// A packet's bytes, times and flags; its side data is for its maker.
    init(_ packet: Packet) {
        self.init(timesOf: packet)
        payload = Array(packet.bytes)
    }

    func packet(timeBase: Rational) throws(FFmpegError) -> Packet {
        let packet = try Packet(bytes: payload, pts: pts, dts: dts, duration: duration, timeBase: timeBase)
        packet.flags = flags
        return packet
    }
}
