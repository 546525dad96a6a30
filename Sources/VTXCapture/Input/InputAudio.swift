import VTXFFmpeg
import VTXMedia
import VTXTask

/// Makes AAC of an input's audio. Gaps are filled with silence.
///
/// Unchecked: one thread at a time calls it.
final class InputAudio: @unchecked Sendable {
    let format: CaptureAudioFormat
    private let converter: AudioConverter
    private let packets = Packets()

    private final class Packets {
        var all: [Packet] = []
    }

    convenience init(_ source: InputStream) throws(TranscodeError) {
        do throws(FFmpegError) {
            let settings = try AudioEncoderSettings(
                codecName: "aac", source: source.parameters, channels: 2, bitrate: Self.bitrate,
                usesGlobalHeader: true)
            try self.init(source, settings)
        } catch {
            throw TranscodeError(.audioCodec, "the input's audio (\(source.codecName)) cannot be converted: \(error)")
                .caused(by: "\(error)")
        }
    }

    /// Of frames that come, in stereo.
    convenience init(sampleRate: Int) throws(FFmpegError) {
        let settings = AudioEncoderSettings(
            codecName: "aac", sampleRate: sampleRate, channelLayout: "stereo", channelCount: 2, sampleFormat: "fltp",
            bitsPerSample: nil, bitrate: Self.bitrate, usesGlobalHeader: true)
        try self.init(nil, settings)
    }

    private init(_ source: InputStream?, _ settings: AudioEncoderSettings) throws(FFmpegError) {
        converter = try AudioConverter(source, settings, emit: { [packets] in packets.all.append($0) })
        format = CaptureAudioFormat(parameters: converter.parameters, timeBase: converter.timeBase)
    }

    private static let bitrate = 128_000

    /// Another connection's audio goes on.
    func goOn(with source: InputStream) { try? converter.goOn(with: source) }

    /// What cannot be converted is left out, and silence in its place.
    func take(_ packet: Packet) { try? converter.convert(packet) }

    func take(_ frame: Frame) { try? converter.convert(frame) }

    func finish() { try? converter.convert(nil) }

    /// What has come out since the last time.
    func takePackets() -> [Packet] {
        defer { packets.all = [] }
        return packets.all
    }
}
