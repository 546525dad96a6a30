import VTXFFmpeg
import VTXMedia
import VTXTask

/// A file that is joined to the previous ones: its streams continue theirs.
struct FollowingFile: Sendable {
    let path: String
    let byteCount: Int64
    let demuxer: Demuxer
    /// By the file's own stream index: the stream of the first file that each continues; nil for an unused stream.
    let streams: [Int?]
    /// The extradata of the video, which decoders need from here on.
    let extradata: [UInt8]
    /// How many frames of the video are decoded before they are shown (C: `AVCodecParameters.video_delay`).
    let reorderedFrames: Int
    /// Whether its headers differ from the first file's.
    let hasOwnHeaders: Bool

    /// - Throws: `input.*`; `input.differs` if its streams do not match those of the first file.
    init(_ path: String, after first: Source) throws(TranscodeError) {
        byteCount = try InputFile.check(path)
        demuxer = try InputFile.open(path)
        self.path = path
        let pairs = try FileMatch(first: first, path: path, streams: demuxer.streams).pairs()
        streams = demuxer.streams.map { stream in pairs.first { $0.other.index == stream.index }?.own.index }
        let video = pairs.first { $0.own.index == first.video.index }
        extradata = video?.other.parameters.extradata ?? []
        reorderedFrames = video?.other.parameters.reorderedFrames ?? 0
        hasOwnHeaders = extradata != first.video.parameters.extradata
    }

    /// The earliest display time. Audio just before zero is encoder delay.
    var start: MediaTime {
        guard let start = demuxer.startTime, !(-2..<0).contains(start.seconds) else {
            return MediaTime(0, MediaTime.microseconds)
        }
        return start
    }
}

/// Compares the streams of a file with those of the first one.
struct FileMatch {
    let first: Source
    let path: String
    let streams: [InputStream]

    typealias Pair = (own: InputStream, other: InputStream)

    /// The tolerance for frame rates: those of phones are averages.
    private static let rateTolerance = 0.01

    func pairs() throws(TranscodeError) -> [Pair] {
        var pairs: [Pair] = []
        for kind in [StreamKind.video, .audio, .subtitle] {
            let (own, others) = (of(kind, first.demuxer.streams), of(kind, streams))
            guard own.count == others.count else {
                throw differs(
                    "it has \(counted(others.count, "\(kind.rawValue) stream", "\(kind.rawValue) streams")) instead of \(own.count)"
                )
            }
            for pair in zip(own, others) {
                try check(pair.0, pair.1)
                pairs.append((pair.0, pair.1))
            }
        }
        return pairs
    }

    private func of(_ kind: StreamKind, _ streams: [InputStream]) -> [InputStream] {
        streams.filter { $0.kind == kind && !$0.isCoverArt }
    }

    private func check(_ own: InputStream, _ other: InputStream) throws(TranscodeError) {
        try compare(own, other, "coded as") { $0.codecName }
        switch own.kind {
        case .video:
            try compare(own, other, "of size") { "\($0.size)" }
            try compare(own, other, "of pixel format") { $0.pixelFormat.map { "\($0)" } ?? "unknown" }
            try compare(own, other, "framed as") { $0.framing }
            try compare(own, other, "shown") { $0.shownAs }
            guard !areApart(own.averageFrameRate, other.averageFrameRate) else {
                try compare(own, other, "at a frame rate of") { "\($0.averageFrameRate)" }
                return
            }
        case .audio:
            try compare(own, other, "at a sample rate of") { "\($0.sampleRate)" }
            try compare(own, other, "of") { counted($0.channelCount, "channel", "channels") }
            guard own.parameters.extradata == other.parameters.extradata else {
                throw differs("its \(own.codecName) audio has different headers")
            }
        case .subtitle, .data, .attachment: break
        }
    }

    private func areApart(_ one: Rational, _ other: Rational) -> Bool {
        guard one.isPositive, other.isPositive else { return false }
        return abs(one.value / other.value - 1) > Self.rateTolerance
    }

    private func compare(
        _ own: InputStream, _ other: InputStream, _ what: String, _ value: (InputStream) -> String
    ) throws(TranscodeError) {
        guard value(own) != value(other) else { return }
        throw differs("its \(own.kind.rawValue) is \(what) \(value(other)) instead of \(value(own))")
    }

    private func differs(_ difference: String) -> TranscodeError {
        TranscodeError(
            .inputDiffers, "'\(path)' cannot follow '\(first.path)': \(difference)",
            hint: "transcode it to the same format first, with a separate command")
    }
}

extension InputStream {
    /// The orientation by the display matrix. The output has one for all files.
    fileprivate var shownAs: String {
        guard let matrix = self.displayMatrix else { return DisplayMatrix.Orientation.upright.rawValue }
        return matrix.orientation?.rawValue ?? "by another display matrix"
    }

    /// The framing of NAL units; empty for other codecs.
    fileprivate var framing: String {
        guard ["h264", "hevc"].contains(self.codecName) else { return "" }
        return parameters.extradata.first == 1 ? "in MP4 and Matroska" : "a byte stream"
    }
}

extension Source {
    var isJoined: Bool { !followers.isEmpty }

    /// The number of chapters in joined files, which are not used.
    var chaptersOfFollowers: Int { followers.reduce(0) { $0 + $1.demuxer.chapters.count } }

    /// Joins a file to the existing ones.
    func append(_ path: String) throws(TranscodeError) {
        guard !countsFrames, !demuxer.takesFrameRate else {
            throw TranscodeError(
                .inputNoTimestamps, "'\(self.path)' has no timestamps, so another file cannot follow it",
                hint: "byte streams can be joined with cat")
        }
        followers.append(try FollowingFile(path, after: self))
    }

    /// The first file whose headers have other parameter sets for the video.
    var followerWithOtherHeaders: String? { followers.first(where: \.hasOwnHeaders)?.path }

    /// The exact duration of all files, in seconds; nil if one is unknown.
    var exactSeconds: Double? {
        let lengths = ([demuxer] + followers.map(\.demuxer)).map { $0.hasExactDuration ? $0.duration?.seconds : nil }
        return lengths.contains(nil) ? nil : lengths.compactMap(\.self).reduce(0, +)
    }
}

/// The sequence of joined files, each of which begins where the previous one ends.
struct JoinedFiles: Sendable {
    private var followers: ArraySlice<FollowingFile>
    /// nil in the first file.
    private(set) var current: FollowingFile?
    /// The time bases of the first file's streams.
    private let timeBases: [Rational]
    private let videoTimeBase: Rational
    private let video: Int
    /// The streams that determine the end of a file.
    private let measured: Set<Int>
    /// The end of each stream's latest packet, in its time base.
    private var ends: [Int: Int64] = [:]
    /// The start of the current file, in the video's time base.
    private var offset: Int64 = 0
    private var hasSaidExtradata = false
    /// The latest video packet's decoding time.
    private var lastDecoding: Int64?
    /// The decoding time of the current file's next video packet, for files that begin without: Matroska has none.
    private var nextDecoding: Int64?

    init(_ followers: [FollowingFile], after first: Source) {
        self.followers = followers[...]
        timeBases = first.demuxer.streams.map(\.timeBase)
        (video, videoTimeBase) = (first.video.index, first.video.timeBase)
        measured = Set(
            first.demuxer.streams.filter { [.video, .audio].contains($0.kind) && !$0.isCoverArt }.map(\.index))
    }

    /// Advances to the next file; nil if there is none.
    mutating func advance() -> FollowingFile? {
        guard let next = followers.popFirst() else { return nil }
        let own = ends.map { stream, end in ceiling(end, timeBases[stream]) }
        offset = own.max() ?? offset
        (current, hasSaidExtradata, nextDecoding) = (next, false, nil)
        return next
    }

    /// Converts to ticks of the video's time base, rounding up.
    private func ceiling(_ ticks: Int64, _ timeBase: Rational) -> Int64 {
        let rounded = MediaTime.rescale(ticks, from: timeBase, to: videoTimeBase)
        let back = MediaTime.rescale(rounded, from: videoTimeBase, to: timeBase)
        return back < ticks ? rounded + 1 : rounded
    }

    /// Assigns a packet of the current file its stream and timestamps; nil if its stream is unused.
    mutating func place(_ packet: Packet) throws(FFmpegError) -> Packet? {
        guard let current else {
            note(packet)
            return packet
        }
        guard current.streams.indices.contains(packet.streamIndex), let stream = current.streams[packet.streamIndex]
        else { return nil }
        let timeBase = timeBases[stream]
        packet.streamIndex = stream
        packet.rescale(to: timeBase)
        let begin = current.start.rescaled(to: timeBase).ticks
        packet.shift(by: MediaTime.rescale(offset, from: videoTimeBase, to: timeBase) - begin)
        if stream == video, !hasSaidExtradata {
            hasSaidExtradata = true
            if !current.extradata.isEmpty { try packet.setNewExtradata(current.extradata) }
        }
        if stream == video { completeDecodingTime(of: packet, after: current.reorderedFrames) }
        note(packet)
        return packet
    }

    /// The muxer would derive a missing decoding time from the presentation times of the file before.
    private mutating func completeDecodingTime(of packet: Packet, after delay: Int) {
        guard packet.dts == nil, let pts = packet.pts, packet.duration > 0 else { return }
        let time = nextDecoding ?? pts - Int64(delay) * packet.duration
        packet.dts = min(pts, max(time, lastDecoding.map { $0 + 1 } ?? time))
        nextDecoding = time + packet.duration
    }

    private mutating func note(_ packet: Packet) {
        let stream = packet.streamIndex
        if stream == video { lastDecoding = packet.dts ?? lastDecoding }
        guard measured.contains(stream), !packet.isHidden, let pts = packet.pts ?? packet.dts else { return }
        let end = pts.addingReportingOverflow(packet.duration)
        guard !end.overflow else { return }
        ends[stream] = max(ends[stream] ?? end.partialValue, end.partialValue)
    }
}
