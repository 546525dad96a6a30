import VTXFFmpeg
package import VTXMedia
import VTXSession
package import VTXTask

/// Decodes where that is needed, encodes and writes a camera's pictures.
///
/// Unchecked: one thread at a time calls it.
final class CaptureRecorder: @unchecked Sendable {
    private let format: CaptureFormat
    private let encoder: CaptureEncoder
    private let output: CaptureOutput
    /// nil for frames that need none.
    private let decoder: DecoderContext?
    private(set) var frameCount = 0
    private(set) var damagedCount = 0
    private var lastTicks: Int64 = 0

    init(_ format: CaptureFormat, _ decoder: DecoderContext?, _ encoder: CaptureEncoder, _ output: CaptureOutput) {
        (self.format, self.decoder, self.encoder, self.output) = (format, decoder, encoder, output)
    }

    /// - Returns: nil for pictures that need none.
    static func decoder(for format: CaptureFormat) throws(TranscodeError) -> DecoderContext? {
        guard let name = format.codecName else { return nil }
        do throws(FFmpegError) {
            let parameters = try CodecParameters(intra: name, size: format.size)
            return try DecoderContext(InputStream(parameters, timeBase: MediaTime.microseconds), threads: 1)
        } catch {
            throw TranscodeError(.inputCodec, "this build of FFmpeg does not decode \(format.name): \(error)")
        }
    }

    var byteCount: Int64 { output.byteCount }
    /// Of the output.
    var seconds: Double {
        frameCount == 0 ? 0 : MediaTime(lastTicks + frameDuration, CaptureTimeline.timeBase).seconds
    }

    private var frameDuration: Int64 {
        max(1, MediaTime.rescale(1, from: format.frameRate.reciprocal, to: CaptureTimeline.timeBase))
    }

    func record(_ item: CaptureReader.Item) throws(TranscodeError) {
        guard let frame = frame(of: item.picture.content) else {
            damagedCount += 1
            return
        }
        frame.setTimes(pts: item.ticks, duration: frameDuration, timeBase: CaptureTimeline.timeBase)
        frame.color = format.color
        frame.setPictureType(isForcedKey: false)
        do throws(SessionError) { try encoder.encoder.send(frame, forcesKeyFrame: false) } catch {
            throw TranscodeError(encoding: error)
        }
        (frameCount, lastTicks) = (frameCount + 1, item.ticks)
        try takePackets()
    }

    /// What the encoder holds back comes, and the file gets its end.
    func finish() throws(TranscodeError) {
        if frameCount > 0 {
            do throws(SessionError) { try encoder.encoder.send(nil, forcesKeyFrame: false) } catch {
                throw TranscodeError(encoding: error)
            }
            try takePackets()
        }
        try output.finish()
    }

    /// Ends the file where no more can be encoded.
    func abandon() { try? output.finish() }

    private func takePackets() throws(TranscodeError) {
        while true {
            let packet: CodecOutput<Packet>
            do throws(SessionError) { packet = try encoder.encoder.receive() } catch {
                throw TranscodeError(encoding: error)
            }
            guard case .unit(let packet) = packet else { return }
            if packet.duration == 0 { packet.duration = frameDuration }
            try output.write(
                packet, of: encoder.encoder.parameters,
                CaptureOutput.OutputFormat(
                    codec: encoder.codec, frameRate: format.frameRate, color: format.encodedColor))
        }
    }

    /// nil for a picture that cannot be decoded: it costs itself, not the recording.
    private func frame(of content: CapturedPicture.Content) -> Frame? {
        switch content {
        case .frame(let frame): return frame
        case .damaged: return nil
        case .coded(let packet):
            guard let decoder, (try? decoder.send(packet)) != nil,
                case .unit(let frame)? = try? decoder.receive(), !frame.isCorrupt
            else { return nil }
            frame.normalizeFullRangeFormat()
            return frame
        }
    }
}

extension CaptureFormat {
    /// Of the output: players expect what broadcasting has, not a camera's full range.
    package var encodedColor: ColorDescription {
        var color = color
        color.isFullRange = false
        return color
    }
}

extension TranscodeError {
    package init(encoding error: SessionError) {
        self.init(ErrorKind(error.code), "\(error.message)")
        stage = .encode
    }
}
