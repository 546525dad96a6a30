package import VTXFFmpeg
package import VTXMedia
import VTXTask

/// The frame rate of a file without timestamps.
package enum RawFrameRate: Sendable, Hashable {
    /// The headers declare it, or the file has timestamps.
    case declared
    /// No header declares it: libavformat's default of 25.
    case assumed
    case asked(Rational)

    var asked: Rational? { if case .asked(let rate) = self { rate } else { nil } }
}

/// An open source file. Packets that were read ahead come out again first.
///
/// Unchecked: read by one thread at a time.
package final class Source: @unchecked Sendable {
    package let path: String
    package private(set) var byteCount: Int64
    package private(set) var demuxer: Demuxer
    package let video: InputStream
    /// The source's own streams, followed by those of separate files.
    package private(set) var streams: [InputStream]
    private(set) var added: [AddedStream] = []
    /// The format in the headers, until frames have been decoded.
    package private(set) var sample: ProbedFrames
    package let rawFrameRate: RawFrameRate
    /// The pipe, if the source is not a file. It can be read only once.
    let piped: PipedInput?
    /// The files joined to this one.
    var followers: [FollowingFile] = []
    /// nil until a source of several files is read.
    private var joined: JoinedFiles?
    /// The path of the file being read.
    private(set) var currentPath: String
    private var truncation: TruncationCheck?
    private var damageOfEarlierFiles = 0
    /// What is missing at the ends of joined files.
    private(set) var missingEnds: [String] = []
    /// nil until searched.
    private(set) var bars: BlackBars?
    private var lookahead: [Packet] = []
    private var next = 0
    private var wanted: Set<Int> = []
    private(set) var derivesTimes = false
    /// Whether `seek(to:)` has left out what comes before its key frame.
    private(set) var hasSought = false

    /// Whether timestamps are derived from the frame rate, because packets have none or another rate was requested.
    var countsFrames: Bool { demuxer.hasNoTimestamps || rawFrameRate.asked != nil }

    package init(
        path: String, byteCount: Int64, demuxer: Demuxer, video: InputStream, rawFrameRate: RawFrameRate = .declared,
        piped: PipedInput? = nil
    ) {
        self.path = path
        currentPath = path
        self.byteCount = byteCount
        self.demuxer = demuxer
        self.video = video
        streams = demuxer.streams
        self.rawFrameRate = rawFrameRate
        self.piped = piped
        sample = ProbedFrames(video.info)
    }

    /// The name in messages.
    package var name: String { StandardStream.input(path) }

    /// Returns the stream of a plan.
    func stream(_ info: StreamInfo) -> InputStream? { streams.first { $0.index == info.index } }

    /// Adds streams of separate files. One that is requested as the default is the only default of its kind.
    func add(_ files: [(file: AddedFile, kind: StreamKind)]) throws(TranscodeError) {
        for (file, kind) in files {
            let stream = try AddedStream.open(file, kind, as: streams.count, beside: path)
            if stream.stream.disposition.contains(.default) {
                for index in streams.indices where streams[index].kind == kind {
                    streams[index].disposition.remove(.default)
                }
            }
            added.append(stream)
            streams.append(stream.stream)
        }
    }

    /// Returns the file of a stream, and the stream's index there.
    func origin(of stream: InputStream) -> (demuxer: Demuxer, index: Int) {
        added.first { $0.stream.index == stream.index }.map { ($0.demuxer, $0.index) } ?? (demuxer, stream.index)
    }

    /// Returns the next packet in file order; nil at the end.
    package func read() throws(FFmpegError) -> Packet? {
        guard followers.isEmpty else { return try readJoined() }
        return try readFile()
    }

    /// Reads the current file.
    private func readFile() throws(FFmpegError) -> Packet? {
        guard next < lookahead.count else { return try demuxer.read().map(counted) }
        defer {
            next += 1
            if next == lookahead.count { (lookahead, next) = ([], 0) }
        }
        return counted(lookahead[next])
    }

    private func counted(_ packet: Packet) -> Packet {
        // A stream that begins in mid-file comes after all that are known.
        if packet.streamIndex >= demuxer.streams.count { packet.streamIndex += added.count }
        if countsFrames { (packet.pts, packet.dts, packet.duration) = (nil, nil, 0) }
        return packet
    }

    // MARK: Files that follow each other

    private func readJoined() throws(FFmpegError) -> Packet? {
        if joined == nil {
            joined = JoinedFiles(followers, after: self)
            truncation = TruncationCheck(self, isWhole: true)
        }
        while true {
            if let packet = try readFile() {
                truncation?.note(packet)
                if let placed = try joined?.place(packet) { return placed }
                continue
            }
            if let message = truncation?.message { missingEnds.append("'\(currentPath)': \(message)") }
            truncation = nil
            guard let file = joined?.advance() else { return nil }
            begin(file)
        }
    }

    private func begin(_ file: FollowingFile) {
        damageOfEarlierFiles += demuxer.skippedDamageCount
        (currentPath, byteCount, demuxer) = (file.path, file.byteCount, file.demuxer)
        if derivesTimes { demuxer.derivePresentationTimes() }
        truncation = TruncationCheck(self, isWhole: true)
        guard !wanted.isEmpty, !TruncationCheck.needsAllStreams(self) else { return }
        demuxer.keepOnly(Set(file.streams.indices.filter { file.streams[$0].map(wanted.contains) ?? false }))
    }

    /// How often damage was skipped without an error, in all joined files.
    var skippedDamageCount: Int { damageOfEarlierFiles + demuxer.skippedDamageCount }

    // MARK: The beginning

    /// Returns a packet of the beginning before anything is read. `read()` returns it again in its turn. nil if there
    /// are no more. A read error occurs again, and is counted, when the transcode gets there.
    func peek(at index: Int) -> Packet? {
        while lookahead.count <= index {
            guard let packet = try? demuxer.read() else { return nil }
            lookahead.append(counted(packet))
        }
        return lookahead[index]
    }

    /// Returns the first packet of the beginning for which a condition holds.
    func firstPacket(where isWanted: (Packet) -> Bool) -> Packet? {
        var index = 0
        while let packet = peek(at: index), !isWanted(packet) { index += 1 }
        return peek(at: index)
    }

    /// Computes presentation times for packets whose container leaves them to decoders.
    func derivePresentationTimes() {
        derivesTimes = true
        demuxer.derivePresentationTimes()
    }

    /// Whether the beginning has packets of a stream.
    func hasPeeked(_ stream: Int) -> Bool { lookahead.contains { $0.streamIndex == stream } }

    /// Takes the format of the first frames, which takes precedence over the headers.
    func note(_ frames: ProbedFrames) {
        sample = frames
        sample.hasLayers = LayerSearch.hasLayers(lookahead, of: video)
    }

    func note(_ bars: BlackBars) { self.bars = bars }

    /// The streams whose first packets are encrypted.
    package var encryptedStreams: Set<Int> { Set(lookahead.filter(\.isEncrypted).map(\.streamIndex)) }

    // MARK: A part of the file

    /// How far before the target to search for a key frame, in seconds: transport streams can be sought only by time.
    private static let seekMargins = [0.0, 2, 10, 60]

    /// Continues at a key frame of the video at or before a time; at the beginning if there is none.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        // Packets before that time are read and dropped.
        hasSought = false
        guard piped == nil else { return }
        // No seek is needed near the beginning, and none is possible without timestamps.
        guard let first = video.startTime, MediaTime(first, video.timeBase).seconds < time.seconds else { return }
        for margin in Self.seekMargins {
            let earlier = MediaTime(time.ticks - MediaTime(seconds: margin).ticks, MediaTime.microseconds)
            do { try demuxer.seek(to: earlier) } catch { break }
            hasSought = try readToKeyFrame(before: time)
            if hasSought { return }
        }
        (lookahead, next) = ([], 0)
        // Not every demuxer can go back to its first byte; a new one is there already.
        demuxer = try InputFile.reopen(path, frameRate: rawFrameRate.asked)
        demuxer.keepOnly(wanted)
        if derivesTimes { demuxer.derivePresentationTimes() }
    }

    /// Ignores packets of other streams, without reading them if the container can skip them.
    package func keepOnly(_ indices: Set<Int>) {
        wanted = indices
        demuxer.keepOnly(indices)
    }

    /// Reads to the first key frame of the video. Packets on the way are kept for `read()`.
    ///
    /// - Returns: false if the timestamp of that frame is missing or after the target.
    private func readToKeyFrame(before time: MediaTime) throws(FFmpegError) -> Bool {
        (lookahead, next) = ([], 0)
        while let packet = try demuxer.read() {
            lookahead.append(packet)
            guard packet.streamIndex == video.index else { continue }
            guard let start = packet.presentationTime ?? packet.dts.map({ MediaTime($0, packet.timeBase) }),
                start.seconds <= time.seconds
            else { return false }
            if packet.isKeyFrame { return true }
        }
        return false
    }
}
