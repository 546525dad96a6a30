import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Detects black bars in frames distributed over the requested part of the source. It reads the source a second time,
/// and is deterministic.
struct BlackBarSearch {
    /// How much of a long video is examined.
    struct Limits {
        /// The number of positions, each beginning at a key frame.
        var places = 50
        /// The minimum number of key frames for a reliable result.
        var leastPlaces = 8
        /// The number of pixels to decode: 600 frames of 1920x1080, which take a few seconds.
        var pixels = 600 * 1920 * 1080
    }

    private let limits: Limits
    private let look: Source
    private let decoder: any VideoDecoder
    /// The start of the requested part.
    private let begin: MediaTime?
    private let end: MediaTime?
    /// The time range of the frames, in seconds, according to the container; nil if unknown.
    private let span: ClosedRange<Double>?
    private let frameRate: Rational
    private let size: PixelSize
    private var box = BrightBox()

    /// - Parameter software: Decodes what GPUs do not, with the same result.
    static func find(
        _ request: TranscodeRequest, _ source: Source, _ software: any DeviceSession, limits: Limits = Limits()
    ) throws(TranscodeError) -> BlackBars {
        let open = { () throws in
            let look = try SourceInspector.open(
                request.input, videoPosition: request.selection.video, frameRate: request.inputFrameRate)
            return try BlackBarSearch(look, request, source, software, limits)
        }
        do {
            // The filter tells of each frame.
            return try LibraryLog.limiting(to: .warning) {
                var search = try open()
                if let bars = try search.lookAround() { return bars }
                search = try open()
                return try search.lookAtAll()
            }
        } catch let error as TranscodeError {
            throw error
        } catch {
            throw TranscodeError(.inputUnreadable, "'\(request.input)': looking for black bars: \(error)")
        }
    }

    private init(
        _ look: Source, _ request: TranscodeRequest, _ source: Source, _ software: any DeviceSession, _ limits: Limits
    ) throws(SessionError) {
        (self.look, self.limits) = (look, limits)
        look.keepOnly([look.video.index])
        decoder = try software.makeDecoder(DecoderConfiguration(stream: look.video))
        frameRate = FrameRateChoice.of(source).rate
        size = source.sample.shape.size
        let first = look.demuxer.startTime?.seconds ?? 0
        let start = first + (request.start ?? 0)
        let last = look.countsFrames ? nil : look.demuxer.duration.map { first + $0.seconds }
        let limit = request.duration.map { start + $0 }
        begin = request.start.map { _ in MediaTime(seconds: start) }
        end = limit.map { MediaTime(seconds: $0) }
        span = last.flatMap { last in
            let end = min(last, limit ?? last)
            return end > start ? start...end : nil
        }
    }
}

extension BlackBarSearch {
    /// - Returns: nil if the video is short or has too few key frames, so that all of it must be examined.
    private mutating func lookAround() throws -> BlackBars? {
        let count = max(1, limits.pixels / max(1, size.width * size.height))
        guard let span else { return nil }
        let seconds = span.upperBound - span.lowerBound
        guard seconds * frameRate.value > Double(count) else { return nil }
        var starts: Set<MediaTime> = []
        for place in 0..<limits.places {
            let share = (Double(place) + 0.5) / Double(limits.places)
            try? look.seek(to: MediaTime(seconds: span.lowerBound + seconds * share))
            guard let packet = nextKeyFrame(), let time = packet.presentationTime, starts.insert(time).inserted
            else { continue }
            try lookFrom(packet, count: max(1, count / limits.places))
        }
        return starts.count < limits.leastPlaces ? nil : bars(places: starts.count)
    }

    private mutating func lookAtAll() throws -> BlackBars {
        if let begin { try? look.seek(to: begin) }
        try lookFrom(nextKeyFrame(), count: .max)
        return bars(places: nil)
    }

    private func bars(places: Int?) -> BlackBars {
        BlackBars(
            picture: box.region, whole: size, frames: box.frameCount, places: places, changesSize: box.changesSize)
    }

    private func nextKeyFrame() -> Packet? {
        while let packet = read() {
            if packet.isKeyFrame || look.countsFrames { return packet }
        }
        return nil
    }

    /// Returns the next packet of the video. Unreadable ones are skipped; the transcode reports them later.
    private func read() -> Packet? {
        while let packet = try? look.read() {
            if packet.streamIndex == look.video.index { return packet }
        }
        return nil
    }

    /// - Parameter count: The number of pictures to decode.
    private mutating func lookFrom(_ keyFrame: Packet?, count: Int) throws {
        decoder.reset()
        // Frames shown before their key frame may refer to frames that were not decoded.
        let start = keyFrame?.presentationTime
        var packet = keyFrame
        var sent = 0
        while let next = packet, sent < count {
            try send(next, shownFrom: start)
            sent += 1
            packet = nextPacket()
        }
        try send(nil, shownFrom: start)
    }

    private func nextPacket() -> Packet? {
        guard let packet = read() else { return nil }
        guard let end, let time = packet.dts else { return packet }
        return MediaTime(time, packet.timeBase) > end ? nil : packet
    }

    private mutating func send(_ packet: Packet?, shownFrom start: MediaTime?) throws {
        do throws(SessionError) { try decoder.send(packet) } catch  where error.code == .badData { return }
        while case .unit(let frame) = try nextFrame() {
            if let time = frame.presentationTime, !isWanted(time, from: start) { continue }
            if !frame.isCorrupt { try box.add(frame) }
        }
    }

    /// Returns the next frame, skipping corrupt data.
    private func nextFrame() throws(SessionError) -> CodecOutput<Frame> {
        do throws(SessionError) { return try decoder.receive() } catch  where error.code == .badData {
            return .needsInput
        }
    }

    private func isWanted(_ time: MediaTime, from start: MediaTime?) -> Bool {
        if let start, time < start { return false }
        return [begin.map { time >= $0 }, end.map { time <= $0 }]
            .allSatisfy { $0 ?? true }
    }
}

/// The region that is not black in any frame, by the rule of libavfilter's `cropdetect`: a row is black if its mean is.
private struct BrightBox {
    private var graph: FilterGraph?
    private var shape: FrameFormat?
    private(set) var region: PixelRegion?
    private(set) var frameCount = 0
    private(set) var changesSize = false

    mutating func add(_ frame: Frame) throws(FFmpegError) {
        let format = FrameFormat(frame)
        if let shape, format.size != shape.size { changesSize = true }
        guard !changesSize else { return }
        if graph == nil || shape?.pixelFormat != format.pixelFormat {
            graph = try FilterGraph(videoLike: frame, frameRate: Rational(0, 1), chain: "cropdetect=skip=0:reset=0")
            shape = format
        }
        frameCount += 1
        try graph?.send(frame)
        while case .unit(let seen)? = try graph?.receive() { note(seen.metadata, in: format.size) }
    }

    private mutating func note(_ found: [MetadataEntry], in size: PixelSize) {
        let sides = ["x1", "x2", "y1", "y2"].compactMap { found["lavfi.cropdetect.\($0)"].flatMap { Int($0) } }
        guard sides.count == 4, sides[0] <= sides[1], sides[2] <= sides[3] else { return }
        let last = region ?? PixelRegion(x: sides[0], y: sides[2], size: PixelSize(1, 1))
        let (x, y) = (min(last.x, sides[0]), min(last.y, sides[2]))
        region = PixelRegion(
            x: x, y: y,
            size: PixelSize(
                max(last.x + last.size.width, sides[1] + 1) - x, max(last.y + last.size.height, sides[3] + 1) - y))
    }
}
