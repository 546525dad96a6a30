import VTXFFmpeg
import VTXMedia
import VTXTask

/// An input's audio. AAC is copied, with its gaps; other codecs are converted to AAC, with gaps filled by silence.
///
/// Unchecked: one thread at a time calls it.
final class InputAudio: @unchecked Sendable {
    static let bitrate = 128_000

    let format: CaptureAudioFormat
    /// nil if it is converted.
    private var copied: CopiedAAC?
    private var converter: AudioConverter?
    private let packets = Packets()

    private final class Packets {
        var all: [Packet] = []
    }

    init(_ source: InputStream) throws(TranscodeError) {
        if let copied = CopiedAAC(source) {
            self.copied = copied
            format = CaptureAudioFormat(parameters: copied.parameters, timeBase: copied.timeBase, isCopied: true)
            return
        }
        do throws(FFmpegError) {
            let settings = try AudioEncoderSettings(
                codecName: "aac", source: source.parameters, channels: 2, bitrate: Self.bitrate,
                usesGlobalHeader: true)
            (format, converter) = try Self.convert(source, settings, into: packets)
        } catch {
            throw TranscodeError(.audioCodec, "the input's audio (\(source.codecName)) cannot be converted: \(error)")
                .caused(by: "\(error)")
        }
    }

    /// Creates the audio for frames at 48 kHz.
    ///
    /// - Parameter isRecorded: Whether frames follow an audio device's clock.
    init(channelCount: Int = 2, isRecorded: Bool = false) throws(FFmpegError) {
        let settings = AudioEncoderSettings(
            codecName: "aac", sampleRate: 48_000, channelLayout: channelCount == 1 ? "mono" : "stereo",
            channelCount: min(2, channelCount), sampleFormat: "fltp", bitsPerSample: nil, bitrate: Self.bitrate,
            usesGlobalHeader: true)
        (format, converter) = try Self.convert(nil, settings, isRecorded: isRecorded, into: packets)
    }

    private static func convert(
        _ source: InputStream?, _ settings: AudioEncoderSettings, isRecorded: Bool = false, into packets: Packets
    ) throws(FFmpegError) -> (CaptureAudioFormat, AudioConverter) {
        let converter = try AudioConverter(
            source, settings, isRecorded: isRecorded, emit: { packets.all.append($0) })
        return (CaptureAudioFormat(parameters: converter.parameters, timeBase: converter.timeBase), converter)
    }

    /// Continues with another connection's audio.
    ///
    /// - Returns: false if that is not possible, and the audio is dropped.
    func reconfigure(for source: InputStream) -> Bool {
        guard let former = copied else { return (try? converter?.reconfigure(for: source)) != nil }
        copied = former.followed(by: source)
        guard copied == nil else { return true }
        converter = former.encoderSettings.flatMap { try? Self.convert(source, $0, into: packets).1 }
        return converter != nil
    }

    /// Takes a packet. One that cannot be converted is replaced by silence.
    func take(_ packet: Packet) {
        guard copied != nil else {
            try? converter?.convert(packet)
            return
        }
        if let frame = copied?.take(packet) { packets.all.append(frame) }
    }

    func take(_ frame: Frame) { try? converter?.convert(frame) }

    func finish() { try? converter?.convert(nil) }

    /// Returns the packets encoded since the last call.
    func takePackets() -> [Packet] {
        defer { packets.all = [] }
        return packets.all
    }
}
