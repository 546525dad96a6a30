import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// A stream that is read until it ends or is lost: decoded frames and audio packets.
///
/// Unchecked: one thread at a time calls it.
final class InputConnection: @unchecked Sendable {
    enum Event: Sendable {
        case picture(Frame)
        case damaged
        case audio(Packet)
    }

    let video: InputStream
    let audio: InputStream?
    private let demuxer: Demuxer
    private let decoder: any VideoDecoder
    /// The decoder as shown to users.
    let decoderName: String
    private var times: InputTimes
    private var events: [Event] = []
    /// A packet that has been read to find out whether the input can be read.
    private var first: Packet?
    private var hasKeyFrame = false
    private var hasEnded = false
    /// Why reading failed; nil at the end.
    private var failure: FFmpegError?
    private var deinterlacer: InputDeinterlacer
    /// The arrival time of the last packet.
    private var arrival = 0.0
    /// The timestamp of the last frame, in ticks of the stream's time base.
    private var lastTime: Int64?

    /// - Parameters:
    ///   - name: The input's name in messages.
    ///   - decoders: Opens the video decoder.
    init(
        _ demuxer: Demuxer, name: String, takesAudio: Bool, _ decoders: any CaptureDecoderOpener
    ) throws(TranscodeError) {
        guard let video = demuxer.streams.first(where: { $0.kind == .video && !$0.isCoverArt && $0.size.width > 0 })
        else { throw TranscodeError(.inputNoVideo, "there is no video in \(name)") }
        first = try demuxer.firstPacketOfMovie(name)
        self.demuxer = demuxer
        self.video = video
        audio = takesAudio ? demuxer.streams.first { $0.kind == .audio && $0.parameters.channelCount > 0 } : nil
        do throws(SessionError) { (decoder, decoderName) = try decoders.open(video) } catch {
            throw TranscodeError(.inputCodec, "the \(video.codecName) of \(name) is not decoded: \(error.message)")
                .caused(by: error.message)
        }
        times = InputTimes(video, audio)
        deinterlacer = InputDeinterlacer(.auto, frameRate: video.averageFrameRate)
    }

    /// Reads until there is an event; nil at the end.
    func next(now: () -> Double = { MonotonicClock.seconds }) throws(FFmpegError) -> Event? {
        while events.isEmpty {
            if hasEnded {
                if let failure { throw failure }
                return nil
            }
            if let packet = read() {
                arrival = now()
                for packet in times.take(packet, now: arrival) { take(packet) }
            } else {
                hasEnded = true
                for packet in times.finish() { take(packet) }
                decode(nil)
                deinterlace(nil)
            }
        }
        return events.removeFirst()
    }

    /// Reads a packet; nil at the end and after a loss, so that everything before is still output.
    private func read() -> Packet? {
        if let first {
            self.first = nil
            return first
        }
        do throws(FFmpegError) { return try demuxer.read() } catch {
            failure = error
            return nil
        }
    }

    /// Enables deinterlacing. Call it before the first frame.
    func deinterlace(_ policy: CaptureDeinterlacing) {
        deinterlacer = InputDeinterlacer(policy, frameRate: video.averageFrameRate)
    }

    var isDeinterlacing: Bool { deinterlacer.isActive }

    /// - Parameter frame: The frame; nil at the end.
    private func deinterlace(_ frame: Frame?) {
        do throws(FFmpegError) {
            let whole = if let frame { try deinterlacer.take(frame) } else { try deinterlacer.finish(video.timeBase) }
            events += whole.map { .picture($0) }
        } catch { events.append(.damaged) }
    }

    private func take(_ packet: Packet) {
        guard packet.streamIndex == video.index else { return events.append(.audio(packet)) }
        // A stream joined midway cannot be decoded before its first key frame.
        hasKeyFrame = hasKeyFrame || packet.isKeyFrame
        if hasKeyFrame { decode(packet) }
    }

    /// Sets the timestamp of a frame. Byte streams have none: frames follow the frame rate in the headers or the
    /// user's.
    private func setTime(of frame: Frame) {
        let rate = video.averageFrameRate.isPositive ? video.averageFrameRate : 25
        let next = lastTime.map { $0 + MediaTime.rescale(1, from: rate.reciprocal, to: video.timeBase) }
        let time = frame.pts ?? next ?? MediaTime(seconds: arrival).rescaled(to: video.timeBase).ticks
        frame.setTimes(pts: time, duration: 0, timeBase: video.timeBase)
        lastTime = time
    }

    /// Decodes a packet. A damaged one is dropped; without a decoder, the stream is lost.
    private func decode(_ packet: Packet?) {
        do throws(SessionError) {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                setTime(of: frame)
                deinterlace(frame)
            }
        } catch {
            if error.code == .badData { return events.append(.damaged) }
            (failure, hasEnded) = (FFmpegError("avcodec_send_packet", -EIO), true)
        }
    }
}

extension Demuxer {
    /// Reads a packet of MP4 or QuickTime. With the index after the media, none can be read from what cannot seek.
    ///
    /// - Returns: nil for other formats.
    fileprivate func firstPacketOfMovie(_ name: String) throws(TranscodeError) -> Packet? {
        guard formatName.hasPrefix("mov") else { return nil }
        do throws(FFmpegError) { return try read() } catch {
            throw TranscodeError(
                .inputNotStreamable,
                "\(name) is MP4 or QuickTime with its index (the 'moov' box) at the end, which cannot be read forward",
                hint: "MPEG-TS, FLV, Matroska and fragmented MP4 can be; ffmpeg -i FILE -c copy -movflags +faststart "
                    + "writes the index first"
            ).caused(by: "\(error)")
        }
    }
}
