import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// Copies AAC without MPEG-TS's ADTS header before each frame, and with continuous timestamps.
struct CopiedAAC: Sendable {
    /// The tolerance for the sender's timestamps, in seconds: FLV has milliseconds.
    private static let tolerance = 0.01
    /// libavcodec's number of the profile.
    private static let lowComplexity = 1

    /// Includes the configuration record for container headers (`AudioSpecificConfig`).
    let parameters: CodecParameters
    private let frameSize: Int64
    private let hasHeaders: Bool
    /// The expected time of the next frame.
    private var next: Int64?

    /// - Returns: nil for another codec, or if the parameters are not known before the first frame.
    init?(_ source: InputStream) {
        let given = source.parameters
        guard given.codecName == "aac", given.sampleRate > 0, given.channelCount > 0 else { return nil }
        hasHeaders = given.extradata.isEmpty
        frameSize = Int64(given.frameSize > 0 ? given.frameSize : 1024)
        guard let record = hasHeaders ? Self.record(of: given) : given.extradata,
            let parameters = try? CodecParameters(given, extradata: record)
        else { return nil }
        self.parameters = parameters
    }

    /// One sample.
    var timeBase: Rational { Rational(1, parameters.sampleRate) }

    /// - Returns: the record; nil if the header does not determine the decoder's output.
    private static func record(of parameters: CodecParameters) -> [UInt8]? {
        guard parameters.profile == lowComplexity else { return nil }
        return AudioSpecificConfig(sampleRate: parameters.sampleRate, channelCount: parameters.channelCount)?.bytes
    }

    /// - Returns: nil for a frame that is damaged, or overlaps the previous one.
    mutating func take(_ packet: Packet) -> Packet? {
        guard let time = packet.presentationTime?.rescaled(to: timeBase).ticks, let bytes = frame(packet) else {
            return nil
        }
        var start = time
        if let next {
            guard time > next - frameSize / 2 else { return nil }
            let tolerance = Int64(Double(parameters.sampleRate) * Self.tolerance)
            if time <= next + tolerance { start = next }
        }
        next = start + frameSize
        return try? Packet(bytes: bytes, pts: start, dts: start, duration: frameSize, timeBase: timeBase)
    }

    /// Returns the packet without its header.
    private func frame(_ packet: Packet) -> [UInt8]? {
        let bytes = packet.bytes
        guard hasHeaders else { return Array(bytes) }
        guard let header = ADTSHeader(Array(bytes.prefix(7))), header.frameCount == 1, bytes.count > header.count else {
            return nil
        }
        return Array(bytes.dropFirst(header.count))
    }

    /// Continues with another connection's audio, where this one ended.
    ///
    /// - Returns: nil if that is encoded differently.
    func followed(by source: InputStream) -> CopiedAAC? {
        guard var other = CopiedAAC(source), other.parameters.extradata.prefix(2) == parameters.extradata.prefix(2),
            other.parameters.sampleRate == parameters.sampleRate
        else { return nil }
        other.next = next
        return other
    }

    /// The encoder settings for equivalent output when the audio can no longer be copied; nil if no encoder supports
    /// them.
    var encoderSettings: AudioEncoderSettings? {
        guard parameters.profile == Self.lowComplexity, parameters.channelCount <= 2 else { return nil }
        return AudioEncoderSettings(
            codecName: "aac", sampleRate: parameters.sampleRate,
            channelLayout: parameters.channelCount == 1 ? "mono" : "stereo", channelCount: parameters.channelCount,
            sampleFormat: "fltp", bitsPerSample: nil, bitrate: InputAudio.bitrate, usesGlobalHeader: true)
    }
}
