import VTXFFmpeg
package import VTXMedia

/// The recipe of an audio stream: a tone.
package struct AudioRecipe: Sendable {
    /// libavcodec's name of the encoder.
    package var encoder = "aac"
    package var frequency = 440
    package var sampleRate = 48000
    package var channelLayout = "stereo"
    package var sampleFormat = "fltp"
    package var seconds = 1.0
    package var bitrate: Int? = 96_000
    package var disposition: Disposition = .default
    package var metadata: [MetadataEntry] = []

    package init(_ change: (inout AudioRecipe) -> Void = { _ in }) { change(&self) }

    package static let aac = AudioRecipe()
    package static let ac3 = AudioRecipe {
        $0.encoder = "ac3"
        $0.bitrate = 192_000
    }
    /// Six channels, two of them at the side.
    package static let surround = AudioRecipe {
        $0.encoder = "ac3"
        $0.channelLayout = "5.1(side)"
        $0.bitrate = 448_000
    }
    package static let mp2 = AudioRecipe {
        $0.encoder = "mp2"
        $0.sampleFormat = "s16"
        $0.bitrate = 192_000
    }
    package static let opus = AudioRecipe {
        $0.encoder = "libopus"
        $0.sampleFormat = "flt"
    }
    package static let flac = AudioRecipe {
        $0.encoder = "flac"
        $0.sampleFormat = "s16"
        $0.bitrate = nil
    }
    package static let pcm = AudioRecipe {
        $0.encoder = "pcm_s16le"
        $0.sampleFormat = "s16"
        $0.bitrate = nil
    }
}

extension AudioRecipe {
    package func encode(globalHeader: Bool) throws -> EncodedStream {
        try EncodedStreams.stream(of: self, globalHeader: globalHeader) { try encoded(globalHeader: globalHeader) }
    }

    private func encoded(globalHeader: Bool) throws -> EncodedStream {
        let context = try EncoderContext(audio: settings(globalHeader: globalHeader))
        // PCM accepts any number.
        let samplesPerFrame = context.samplesPerFrame > 0 ? context.samplesPerFrame : 1024
        let graph = try FilterGraph(
            generating: "sine=frequency=\(frequency):sample_rate=\(sampleRate):duration=\(seconds)"
                + ",aformat=sample_fmts=\(sampleFormat):channel_layouts=\(channelLayout)"
                + ",asetnsamples=n=\(samplesPerFrame):p=0", isAudio: true)
        var packets: [Packet] = []
        while case .unit(let frame) = try graph.receive() {
            frame.rescale(to: context.timeBase)
            try context.send(frame)
            try context.drain(into: &packets)
        }
        try context.send(nil)
        try context.drain(into: &packets)
        var description = OutputStreamDescription(parameters: context.parameters, timeBase: context.timeBase)
        description.disposition = disposition
        description.metadata = metadata
        return EncodedStream(description: description, packets: packets)
    }

    private func settings(globalHeader: Bool) throws -> AudioEncoderSettings {
        var settings = try AudioEncoderSettings(
            codecName: encoder, source: try SilentWave.parameters(sampleRate: sampleRate), bitrate: bitrate,
            usesGlobalHeader: globalHeader)
        settings.sampleRate = sampleRate
        settings.channelLayout = channelLayout
        settings.sampleFormat = sampleFormat
        return settings
    }
}

/// The smallest audio file, as a source of parameters.
enum SilentWave {
    static func parameters(sampleRate: Int) throws -> CodecParameters {
        let directory = try TemporaryDirectory()
        let path = directory.file("silence.wav")
        try Files.write(bytes(sampleRate: sampleRate), to: path)
        guard let stream = try Demuxer(path: path).streams.first else {
            throw RecipeError("no stream in a WAV file")
        }
        return stream.parameters
    }

    /// RIFF, 16-bit stereo, 64 samples.
    private static func bytes(sampleRate: Int) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
        }
        let data = [UInt8](repeating: 0, count: 256)
        let format =
            little(1, 2) + little(2, 2) + little(sampleRate, 4) + little(sampleRate * 4, 4) + little(4, 2)
            + little(16, 2)
        return Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            + format
            + Array("data".utf8) + little(data.count, 4) + data
    }
}
