package import VTXMedia

/// Decodes, resamples and encodes one audio stream.
package final class AudioConverter {
    private let samples: PacedAudio
    private let encoder: EncoderContext
    private let emit: (Packet) throws -> Void

    /// - Parameters:
    ///   - source: The stream that packets come from; nil if the input consists of frames.
    ///   - isRecorded: Whether samples follow an audio device's clock, and their timestamps another one. They are
    ///     stretched to match.
    ///   - start: In seconds. Samples before it are dropped, as are samples at or after `end`.
    ///   - emit: Called with each encoded packet.
    ///   - onDamage: Called for a packet that cannot be decoded.
    package init(
        _ source: InputStream?, _ settings: AudioEncoderSettings, isRecorded: Bool = false,
        from start: Double? = nil, to end: Double? = nil, emit: @escaping (Packet) throws -> Void,
        onDamage: @escaping () -> Void = {}
    ) throws(FFmpegError) {
        let encoder = try EncoderContext(audio: settings)
        (self.encoder, self.emit) = (encoder, emit)
        samples = try PacedAudio(
            source, settings, samplesPerFrame: encoder.samplesPerFrame, through: settings.filters,
            isRecorded: isRecorded, in: (start, end), onDamage: onDamage
        ) { frame in
            frame.rescale(to: encoder.timeBase)
            try Self.encode(frame, encoder, emit)
        }
    }

    /// The parameters of the encoded stream.
    package var parameters: CodecParameters { encoder.parameters }
    package var timeBase: Rational { encoder.timeBase }

    /// The number of the source's channels if it has become larger than at the beginning, and than the encoder's; nil
    /// otherwise.
    package var lostChannelCount: Int? {
        samples.channelCounts.flatMap { first, most in
            first <= parameters.channelCount && most > parameters.channelCount ? most : nil
        }
    }

    /// Continues with another stream, whose timestamps continue this one's.
    package func reconfigure(for source: InputStream) throws { try samples.reconfigure(for: source) }

    /// - Parameter packet: The packet; nil at the end of the stream.
    package func convert(_ packet: Packet?) throws {
        try samples.convert(packet)
        if packet == nil { try Self.encode(nil, encoder, emit) }
    }

    /// Converts a decoded frame.
    package func convert(_ frame: Frame) throws { try samples.convert(frame) }

    private static func encode(
        _ frame: Frame?, _ encoder: EncoderContext, _ emit: (Packet) throws -> Void
    ) throws {
        try encoder.send(frame)
        while case .unit(let packet) = try encoder.receive() { try emit(packet) }
    }
}
