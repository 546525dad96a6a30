package import VTXFFmpeg
package import VTXMedia
import VTXTask

/// How often frames come in a file that has no times.
package enum RawFrameRate: Sendable, Hashable {
    /// As the headers say; or the file has times.
    case declared
    /// No header says it: libavformat's 25.
    case assumed
    case asked(Rational)

    var asked: Rational? { if case .asked(let rate) = self { rate } else { nil } }
}

/// An opened file. Packets that were read for a look at its beginning come out again first.
///
/// Unchecked: one thread at a time reads.
package final class Source: @unchecked Sendable {
    package let path: String
    package private(set) var byteCount: Int64
    package private(set) var demuxer: Demuxer
    package let video: InputStream
    /// Its own, and after them those of files beside it.
    package private(set) var streams: [InputStream]
    private(set) var added: [AddedStream] = []
    /// As the headers say, until frames have been seen.
    package private(set) var sample: ProbedFrames
    package let rawFrameRate: RawFrameRate
    /// Where its bytes come from, if not from a file: it is read once.
    let piped: PipedInput?
    /// Of a source that is one file.
    private var followers: [FollowingFile] = []
    /// nil until a source of several files is read.
    private var joined: JoinedFiles?
    /// Of the file that is read.
    private(set) var currentPath: String
    private var truncation: TruncationCheck?
    /// What is missing at the ends of files that others follow, or that follow others.
    private(set) var missingEnds: [String] = []
    /// nil until they are looked for.
    private(set) var bars: BlackBars?
    private var lookahead: [Packet] = []
    private var next = 0
    private var wanted: Set<Int> = []
    private var derivesTimes = false

    /// Frames are counted at the stream's rate: packets have no times, or not those of the rate that was asked for.
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

    /// As messages name it.
    package var name: String { StandardStream.input(path) }

    /// The stream that a plan speaks of.
    func stream(_ info: StreamInfo) -> InputStream? { streams.first { $0.index == info.index } }

    /// Streams of files beside it, which then are its last. One that players are to begin with is the only one of its kind.
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

    /// The file that a stream is in, and its number there.
    func origin(of stream: InputStream) -> (demuxer: Demuxer, index: Int) {
        added.first { $0.stream.index == stream.index }.map { ($0.demuxer, $0.index) } ?? (demuxer, stream.index)
    }

    /// The next packet in file order; nil at the end.
    package func read() throws(FFmpegError) -> Packet? {
        guard followers.isEmpty else { return try readJoined() }
        return try readFile()
    }

    /// Of the file that is read.
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

    var isJoined: Bool { !followers.isEmpty }

    /// Chapters that nothing is made of.
    var chaptersOfFollowers: Int { followers.reduce(0) { $0 + $1.demuxer.chapters.count } }

    /// Has a file follow those that are there.
    func append(_ path: String) throws(TranscodeError) {
        guard !countsFrames, !demuxer.takesFrameRate else {
            throw TranscodeError(
                .inputNoTimestamps, "'\(self.path)' has no times by which another file could follow it",
                hint: "byte streams are joined by cat")
        }
        followers.append(try FollowingFile(path, after: self))
    }

    /// The first file whose video has parameter sets of its own in its headers.
    var followerWithOtherHeaders: String? { followers.first(where: \.hasOwnHeaders)?.path }

    /// Seconds of all files together; nil where one does not say it exactly.
    var exactSeconds: Double? {
        let lengths = ([demuxer] + followers.map(\.demuxer)).map { $0.hasExactDuration ? $0.duration?.seconds : nil }
        return lengths.contains(nil) ? nil : lengths.compactMap(\.self).reduce(0, +)
    }

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
        (currentPath, byteCount, demuxer) = (file.path, file.byteCount, file.demuxer)
        if derivesTimes { demuxer.derivePresentationTimes() }
        truncation = TruncationCheck(self, isWhole: true)
        guard !wanted.isEmpty, !TruncationCheck.needsAllStreams(self) else { return }
        demuxer.keepOnly(Set(file.streams.indices.filter { file.streams[$0].map(wanted.contains) ?? false }))
    }

    // MARK: The beginning

    /// A packet of the beginning, before anything is read; `read` gives it in its turn. nil where there are no more. An error
    /// comes again when the transcode reads on, and is counted there.
    func peek(at index: Int) -> Packet? {
        while lookahead.count <= index {
            guard let packet = try? demuxer.read() else { return nil }
            lookahead.append(counted(packet))
        }
        return lookahead[index]
    }

    /// Packets say when they are shown, also where the container leaves it to decoders.
    func derivePresentationTimes() {
        derivesTimes = true
        demuxer.derivePresentationTimes()
    }

    /// Whether the beginning has packets of the stream.
    func hasPeeked(_ stream: Int) -> Bool { lookahead.contains { $0.streamIndex == stream } }

    /// Believes the first frames more than the headers.
    func note(_ frames: ProbedFrames) {
        sample = frames
        sample.hasLayers = LayerSearch.hasLayers(lookahead, of: video)
    }

    func note(_ bars: BlackBars) { self.bars = bars }

    /// Streams that begin with encrypted packets.
    package var encryptedStreams: Set<Int> { Set(lookahead.filter(\.isEncrypted).map(\.streamIndex)) }

    // MARK: A part of the file

    /// How far before the target to look for a key frame, in seconds: transport streams are sought in by time alone.
    private static let seekMargins = [0.0, 2, 10, 60]

    /// Goes on from a key frame of the video at or before a time; from the beginning where no such place can be found.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        // What comes before that time is read, and left out.
        guard piped == nil else { return }
        // What is already at hand begins early enough, or the file has no times to look for.
        guard let first = video.startTime, MediaTime(first, video.timeBase).seconds < time.seconds else { return }
        for margin in Self.seekMargins {
            let earlier = MediaTime(time.ticks - MediaTime(seconds: margin).ticks, MediaTime.microseconds)
            do { try demuxer.seek(to: earlier) } catch { break }
            if try readToKeyFrame(before: time) { return }
        }
        (lookahead, next) = ([], 0)
        // Not every demuxer can go back to its first byte; a new one is there already.
        demuxer = try Demuxer(path: path, frameRate: rawFrameRate.asked)
        demuxer.keepOnly(wanted)
        if derivesTimes { demuxer.derivePresentationTimes() }
    }

    /// Packets of other streams are not even read where the container can step over them.
    package func keepOnly(_ indices: Set<Int>) {
        wanted = indices
        demuxer.keepOnly(indices)
    }

    /// Reads on to the first key frame of the video; what comes with it is kept for `read`.
    ///
    /// - Returns: false where that frame, or its time, is after the target.
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
