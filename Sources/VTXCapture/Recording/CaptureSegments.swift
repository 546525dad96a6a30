import Glibc
import VTXFFmpeg
import VTXMedia
import VTXPlaylist
import VTXSystem
import VTXTask

/// A live playlist with segments of fragmented MP4 (HLS with CMAF). Each file gets its name when it is complete, and is
/// then added to the playlist, so that everything in the playlist can be played at any time.
///
/// Unchecked: one thread at a time calls it.
final class CaptureSegments: CapturePacketSink, @unchecked Sendable {
    /// The minimum duration of a fragment, in ticks. Segments are written in fragments, so that memory never holds a
    /// whole long one.
    private static let fragment: Int64 = 90_000

    private let path: String
    private let directory: String
    private let names: SegmentNames
    private let now: @Sendable () -> Int64
    private let replaces: Bool
    private var file: PlaylistFile
    private var playlist: LivePlaylist
    private var schedule: SegmentSchedule
    private var multivariant: MultivariantFile
    private let files = SegmentFiles()
    private var muxer: Muxer?
    private var extradata: [UInt8] = []
    /// Audio before the first frame.
    private var early = EarlyAudio()
    /// The packet whose duration is known once the next one arrives.
    private var pending: CapturePacket?
    private var segment: OpenSegment?
    /// The sequence number of the next segment, also for the playlist.
    private var number: Int
    private let firstNumber: Int
    private var initialization = ""
    private var fragmentStart: Int64 = 0
    /// The maximum duration of a part, in ticks; nil without parts. A part is a fragment.
    private let partLength: Int64?
    private var partIsIndependent = false
    /// Whether the segments of the replaced recording have been removed.
    private var hasRemovedEarlier = false
    /// The time of the first frame, in milliseconds since 1970.
    private var beginning: Int64?

    private struct OpenSegment {
        var name: String
        var number: Int
        var start: Int64
        var isDiscontinuous: Bool
        var partCount = 0
    }

    /// - Parameter now: Milliseconds since 1970.
    init(
        _ path: String, _ settings: LivePlaylistRequest, replaces: Bool,
        now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    ) throws(TranscodeError) {
        let (directory, name) = FileName.directory(of: path)
        (self.path, self.directory, self.now) = (path, directory, now)
        names = SegmentNames(playlist: name)
        let exists = AtomicFile.exists(path)
        guard replaces || !exists else { throw TranscodeError(existing: path) }
        self.replaces = exists
        multivariant = try MultivariantFile(
            "\(directory)/\(names.multivariant)", of: name, segmentSeconds: settings.segmentSeconds, replaces: replaces)
        file = try PlaylistFile(path, replaces: exists)
        // Players that know an earlier recording's playlist see a greater number, and no name refers to two segments.
        firstNumber = Int(now() / 1000)
        number = firstNumber
        playlist = LivePlaylist(settings, from: number)
        partLength = settings.partMilliseconds.map {
            MediaTime.rescale(Int64($0), from: Rational(1, 1000), to: CaptureTimeline.timeBase)
        }
        schedule = SegmentSchedule(settings)
    }

    let skippedCount = 0
    var byteCount: Int64 { files.byteCount }

    func limitWaiting() {}

    func write(_ packet: CapturePacket) throws(TranscodeError) {
        guard !early.hold(packet, hasBegun: muxer != nil) else { return }
        if packet.isAudio { return try reporting { () throws(FFmpegError) in try muxer?.write(packet.packet, to: 1) } }
        let time = packet.packet.dts ?? 0
        if let pending { try put(pending, until: time) }
        pending = packet
        guard packet.isKeyFrame else { return }
        let isOther = packet.parameters.extradata != extradata
        guard schedule.begins(at: time) || isOther else { return }
        try close(at: time, isLast: false)
        try open(packet, isOther: isOther, at: time)
        try reporting { () throws(FFmpegError) in
            for packet in early.take() { try muxer?.write(packet.packet, to: packet.stream) }
        }
    }

    private func put(_ packet: CapturePacket, until end: Int64) throws(TranscodeError) {
        guard let muxer else { return }
        let time = packet.packet.dts ?? 0
        packet.packet.duration = max(1, end - time)
        if endsFragment(before: time, until: end) { try endFragment(at: time) }
        // The muxer takes over the packet's contents.
        partIsIndependent = partIsIndependent || packet.isKeyFrame
        try reporting { () throws(FFmpegError) in try muxer.write(packet.packet, to: 0) }
    }

    /// Whether a fragment ends: parts must not exceed the announced duration, except for a single frame.
    private func endsFragment(before time: Int64, until end: Int64) -> Bool {
        guard let partLength else { return time - fragmentStart >= Self.fragment }
        return time > fragmentStart && end - fragmentStart > partLength
    }

    private func endFragment(at time: Int64) throws(TranscodeError) {
        try reporting { () throws(FFmpegError) in try muxer?.endFragment() }
        if partLength != nil {
            try closePart(at: time)
            try writePlaylist(isLast: false)
            try openPart()
        }
        fragmentStart = time
    }

    // MARK: Parts

    private func openPart() throws(TranscodeError) {
        guard partLength != nil, let segment else { return }
        partIsIndependent = false
        try files.openPart("\(directory)/\(names.part(segment.partCount, of: segment.number))")
    }

    private func closePart(at end: Int64) throws(TranscodeError) {
        guard partLength != nil, let open = segment else { return }
        try files.closePart()
        let seconds = MediaTime(end - fragmentStart, CaptureTimeline.timeBase).seconds
        playlist.add(
            LivePlaylist.Part(
                name: names.part(open.partCount, of: open.number), duration: seconds, isIndependent: partIsIndependent),
            of: listed(open, until: end))
        segment?.partCount += 1
        try multivariant.note(partOf: files.partByteCount, seconds: seconds)
    }

    // MARK: Segments

    private func open(_ packet: CapturePacket, isOther: Bool, at time: Int64) throws(TranscodeError) {
        beginning = beginning ?? now()
        let isFirst = number == firstNumber
        if isOther { try startMuxer(packet) }
        let name = names.segment(number)
        segment = OpenSegment(
            name: name, number: number, start: time, isDiscontinuous: isFirst ? replaces : isOther)
        fragmentStart = time
        number += 1
        try files.open("\(directory)/\(name)")
        try openPart()
    }

    /// Starts a muxer. Another encoder may have taken over, with other parameter sets than in the first header.
    private func startMuxer(_ packet: CapturePacket) throws(TranscodeError) {
        muxer = nil
        initialization = names.initialization(number)
        try files.open("\(directory)/\(initialization)")
        try reporting { () throws(FFmpegError) in
            let muxer = try Muxer(writing: files, format: Container.mp4.muxerName)
            let isHEVC = packet.format.codec == .hevc
            try packet.addStreams(to: muxer, codecTag: isHEVC ? OutputStreamDescription.tag("hvc1") : 0)
            try muxer.writeHeader(options: Self.options)
            self.muxer = muxer
        }
        try files.close()
        extradata = packet.parameters.extradata
        multivariant.describe(packet)
    }

    private static let options = [
        ("brand", "cmfc"), ("movflags", "frag_custom+empty_moov+default_base_moof+skip_trailer"),
    ]

    private func close(at end: Int64, isLast: Bool) throws(TranscodeError) {
        guard let segment, let muxer else { return }
        try reporting { () throws(FFmpegError) in try muxer.endFragment() }
        try closePart(at: end)
        self.segment = nil
        try files.close()
        playlist.hasEnded = isLast
        let whole = listed(segment, until: end)
        let former = playlist.add(whole)
        try multivariant.note(segmentOf: files.fileByteCount, seconds: whole.duration, isLast: isLast)
        try writePlaylist(isLast: isLast)
        former.forEach { unlink("\(directory)/\($0)") }
    }

    private func listed(_ segment: OpenSegment, until end: Int64) -> LivePlaylist.Segment {
        LivePlaylist.Segment(
            name: segment.name, initialization: initialization,
            duration: MediaTime(end - segment.start, CaptureTimeline.timeBase).seconds, date: date(segment.start),
            isDiscontinuous: segment.isDiscontinuous)
    }

    private func date(_ ticks: Int64) -> String {
        WallClock.text(
            (beginning ?? 0) + MediaTime.rescale(ticks, from: CaptureTimeline.timeBase, to: Rational(1, 1000)))
    }

    // MARK: The playlist

    private func writePlaylist(isLast: Bool) throws(TranscodeError) {
        try file.write(playlist.text, isLast: isLast)
        if replaces, !hasRemovedEarlier, !playlist.segments.isEmpty { removeEarlier() }
    }

    /// Removes the segments of the recording that this playlist replaces.
    private func removeEarlier() {
        hasRemovedEarlier = true
        for name in Directory.names(in: directory) where names.isEarlier(name, than: firstNumber) {
            unlink("\(directory)/\(name)")
        }
    }

    // MARK: The end

    func finish() throws(TranscodeError) {
        defer {
            files.discard()
            file.discard()
        }
        guard let pending, muxer != nil else { return }
        self.pending = nil
        let end = (pending.packet.dts ?? 0) + pending.packet.duration
        try put(pending, until: end)
        try close(at: end, isLast: true)
    }

    /// Reports muxer errors as errors of the file.
    private func reporting(_ body: () throws(FFmpegError) -> Void) throws(TranscodeError) {
        do throws(FFmpegError) { try body() } catch {
            throw files.failure
                ?? TranscodeError(.outputWrite, "'\(path)' cannot be written: \(error)")
                .caused(by: "\(error)")
        }
    }
}
