import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// A frame and its position in a file.
struct PlacedFrame {
    var frame: Frame
    /// From 0.
    var number: Int
    /// From the first frame of the file.
    var seconds: Double
}

/// The frames of a file's video, in sequence, decoded in software. Timestamps are normalized as for a transcode.
final class ComparedVideo {
    let source: Source
    private let decoder: any VideoDecoder
    private let damage = InputErrorReport()
    private var truncation: TruncationCheck?
    private var normalizer: TimestampNormalizer
    /// The packets that the normalizer holds, and those it has released.
    private var held: [Packet] = []
    private var ready: ArraySlice<Packet> = []
    private var hasRead = false
    private var ahead: [PlacedFrame] = []
    private var clock: FrameClock
    private var videoBytes: Int64 = 0
    private var unpaired = 0

    /// The number of consecutive errors after which the rest of the file is skipped.
    private static let maxConsecutiveErrors = 256

    init(_ path: String, on device: any DeviceSession) throws(TranscodeError) {
        source = try SourceInspector.open(path, videoPosition: 0)
        let video = source.video
        do { decoder = try device.makeDecoder(DecoderConfiguration(stream: video)) } catch {
            throw TranscodeError(.inputCodec, "the \(video.codecName) video in '\(path)': \(error.message)")
                .at(stream: video.index).caused(by: error.message)
        }
        truncation = TruncationCheck(source, isWhole: true)
        if !TruncationCheck.needsAllStreams(source) { source.keepOnly([video.index]) }
        let timeline = StreamTimeline(
            .decodedVideo, timeBase: video.timeBase, wrapBits: video.info.wrapBits, frameRate: video.averageFrameRate)
        normalizer = TimestampNormalizer(
            [video.index: timeline], offset: 0, hasDiscontinuities: source.demuxer.hasDiscontinuities)
        clock = FrameClock(video)
    }

    /// - Throws: if there is no frame.
    func first() throws(TranscodeError) -> Frame {
        try look()
        guard let first = ahead.first else {
            throw TranscodeError(
                .inputNoFrames, "no frame of the \(source.video.codecName) video in '\(source.path)' can be decoded")
        }
        return first.frame
    }

    func times() throws(TranscodeError) -> FramePairing.Ahead {
        try look()
        return FramePairing.Ahead(first: ahead.first?.seconds, second: ahead.dropFirst().first?.seconds)
    }

    /// Takes the next frame, which has a counterpart.
    func take() -> PlacedFrame? { ahead.isEmpty ? nil : ahead.removeFirst() }

    /// Skips the next frame.
    func pass() {
        if take() != nil { unpaired += 1 }
    }

    /// Completes the report after the last frame.
    func finish(_ file: inout ComparedFile) {
        (file.bytes, file.videoBytes, file.seconds) = (source.byteCount, videoBytes, clock.length)
        (file.frames, file.unpairedFrames) = (clock.count, unpaired)
        damage.count(decoder.missingPictures())
        if let message = truncation?.message { damage.sourceEndedEarly(message) }
    }

    var isIncomplete: Bool { damage.isIncomplete }

    /// The notices about the file, with its name.
    var notices: [Notice] { damage.notices.map { Notice($0.kind, "'\(source.path)': \($0.message)") } }
}

extension ComparedVideo {
    private func look() throws(TranscodeError) {
        while ahead.count < 2, let frame = try decode() {
            if frame.isCorrupt { damage.countConcealed() }
            ahead.append(clock.place(frame))
        }
    }

    /// Decodes the next frame; nil at the end.
    private func decode() throws(TranscodeError) -> Frame? {
        do throws(SessionError) {
            while true {
                switch try decoder.receive(onDamage: { _ in damage.countUndecodable() }) {
                case .unit(let frame): return frame
                case .endOfStream: return nil
                case .needsInput: try feed()
                }
            }
        } catch { throw TranscodeError(ErrorKind(error.code), Message(error.message)) }
    }

    /// Sends the decoder a packet. Corrupt data costs only its frame.
    private func feed() throws(SessionError) {
        do throws(SessionError) { try decoder.send(next()) } catch {
            guard error.code == .badData else { throw error }
            damage.countUndecodable()
        }
    }

    private func next() -> Packet? {
        while ready.isEmpty, !hasRead {
            guard let packet = read() else {
                hasRead = true
                settle(normalizer.finish(source.video.index))
                break
            }
            truncation?.note(packet)
            guard packet.streamIndex == source.video.index else { continue }
            videoBytes += Int64(packet.byteCount)
            held.append(packet)
            settle(normalizer.take(PacketTimes(packet), of: packet.streamIndex))
        }
        return ready.popFirst()
    }

    private func settle(_ times: [PacketTimes]) {
        for (packet, times) in zip(held, times) {
            (packet.pts, packet.dts, packet.duration) = (times.pts, times.dts, times.duration)
            ready.append(packet)
        }
        held.removeFirst(min(held.count, times.count))
    }

    private func read() -> Packet? {
        for _ in 0..<Self.maxConsecutiveErrors {
            do { return try source.read() } catch { damage.countUnreadable() }
        }
        return nil
    }
}

/// Assigns each frame a time. A frame without a timestamp follows the previous one.
struct FrameClock {
    /// The frame duration at the stream's rate, in ticks.
    private let usual: Int64
    private var first: Int64?
    private var last: Int64?
    private var next: Int64 = 0
    private(set) var count = 0
    /// The time from the first frame to the end of the last one, in seconds.
    private(set) var length = 0.0

    init(_ video: InputStream) {
        let rate = video.averageFrameRate
        usual = rate.isPositive ? max(1, MediaTime.rescale(1, from: rate.reciprocal, to: video.timeBase)) : 1
    }

    mutating func place(_ frame: Frame) -> PlacedFrame {
        let own = frame.pts ?? next
        let time = last.map { max(own, $0 + 1) } ?? own
        let first = first ?? time
        (self.first, last) = (first, time)
        next = time + (frame.duration > 0 ? frame.duration : usual)
        length = MediaTime(next - first, frame.timeBase).seconds
        count += 1
        return PlacedFrame(
            frame: frame, number: count - 1, seconds: MediaTime(time - first, frame.timeBase).seconds)
    }
}
